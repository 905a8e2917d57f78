"""The parts of the benchmark: each measures, and gives what it found."""
