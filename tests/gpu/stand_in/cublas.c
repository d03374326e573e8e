/* Stands in for cuBLAS as a library that has to be found: its name is all that matters. */
int cublas_stand_in(void);

int cublas_stand_in(void)
{
    return 1;
}
