"""What scripts/measure_sample.py looks for in a model's attention."""
