from .attention import RelativeMultiheadAttention, EncoderLayer
