"""Answers in notebooks."""
