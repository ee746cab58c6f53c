"""Measurements that anyone can run again: each prints JSON on standard output and progress on standard error."""
