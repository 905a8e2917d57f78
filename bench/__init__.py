"""Compares spark-csql with what a user would pick instead. ``python -m bench --help`` tells the rest."""
