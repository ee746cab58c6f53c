"""The command line: flags to an operation, an operation's result to text.

Owns how things look to people, and nothing else: what a verb does is an operation of `protocol.table`.
"""
