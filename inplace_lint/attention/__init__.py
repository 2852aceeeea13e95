"""Attention: softmax(QKᵀ)V found in the value graph of a function, and what one fused call in its place looks like."""
