"""What changed between two states of a store, for somebody who decides: comparison, and text that is safe to post.

It reads trees and the folded state that is cached; it writes nothing, and it does not know who asks.
"""
