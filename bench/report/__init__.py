"""What the parts found, as tables and plots."""
