"""Derived and deletable: what reads are fast with, rebuilt from commits at any time."""
