"""The command line, ``spark-csql``: one module for each command."""
