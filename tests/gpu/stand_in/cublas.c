/* Stands in for cuBLAS as a library to be found: only its name matters. */
int cublas_stand_in(void);

int cublas_stand_in(void)
{
    return 1;
}
