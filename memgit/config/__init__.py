"""Every setting, its default and where it may come from, as data; and how one is read and written.

A setting changes how memgit works on this machine. Which project a request belongs to is not one: `memgit.scope` says.
"""
