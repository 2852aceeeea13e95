"""Which functions and layers of torch may give something else each time that they are given the same."""

from __future__ import annotations

#: Functions of torch and `torch.nn.functional`, by name: they draw random numbers, or leave memory as they find it.
FUNCTIONS = frozenset(
    "rand rand_like randn randn_like randint randint_like randperm bernoulli multinomial normal poisson binomial "
    "dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout native_dropout rrelu "
    "gumbel_softmax fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d "
    "fractional_max_pool3d_with_indices multi_head_attention_forward scaled_dot_product_attention gru lstm rnn_relu "
    "rnn_tanh miopen_rnn svd_lowrank pca_lowrank lobpcg empty empty_like empty_permuted empty_strided seed "
    "initial_seed get_rng_state".split()
)
#: Layers of `torch.nn`, by name: they do so in training, or may be built to.
LAYERS = frozenset(
    "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout RReLU FractionalMaxPool2d "
    "FractionalMaxPool3d MultiheadAttention Transformer TransformerEncoder TransformerEncoderLayer TransformerDecoder "
    "TransformerDecoderLayer RNNBase RNN LSTM GRU".split()
)
