"""Finds the clauses and statements of the language in a text, without Spark.

It follows the parser of the engine file by file: tokens as Spark's lexer makes them, our own clauses read
and checked, everything else left alone.
"""
