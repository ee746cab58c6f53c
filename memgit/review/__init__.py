"""What changed between two states of a store, for somebody who decides: pure comparison, and text that is safe to post.

It knows trees and folded states; it writes nothing, and it does not know who asks.
"""
