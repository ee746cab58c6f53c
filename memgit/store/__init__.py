"""The authority: one Git ref, written under a lock by compare-and-swap.

The only room that touches pygit2 and Git's plumbing. It knows files, trees and commits; what the records in them mean
is the business of `memgit.records`.
"""
