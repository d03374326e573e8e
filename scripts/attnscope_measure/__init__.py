"""The checks that scripts/measure_sample.py applies to a model's attention."""
