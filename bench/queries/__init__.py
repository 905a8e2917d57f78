"""The questions, in the language of each engine."""
