"""Lists every keyword argument that some constructor of a `torch.nn` module takes."""

from __future__ import annotations

MODULE_KEYWORDS = frozenset(
    (
        "_freeze _random_samples _weight activation add_bias_kv add_zero_attn affine align_corners alpha "
        "approximate batch_first beta bias bidirectional blank ceil_mode count_include_pad custom_decoder "
        "custom_encoder cutoffs d_model decoder_layer delta device device_ids dilation dim dim_feedforward "
        "distance_function div_value divisor_override downscale_factor dropout dtype elementwise_affine "
        "embed_dim embedding_dim enable_nested_tensor encoder_layer end_dim eps full groups head_bias "
        "hidden_size ignore_index in1_features in2_features in_channels in_features include_last_offset init "
        "inplace input_size k kdim keepdim kernel_size label_smoothing lambd layer_norm_eps log_input "
        "log_target lower margin mask_check max_norm max_val max_value min_val min_value mode module modules "
        "momentum n_classes negative_slope nhead nonlinearity norm norm_first norm_type normalized_shape "
        "num_channels num_chunks num_classes num_decoder_layers num_embeddings num_encoder_layers "
        "num_features num_groups num_heads num_layers num_parameters options out_channels out_features "
        "output_device output_padding output_ratio output_size p padding padding_idx padding_mode parameters "
        "pos_weight process_group proj_size recompute_scale_factor reduce reduction return_indices "
        "scale_factor scale_grad_by_freq size size_average sparse start_dim stride swap threshold "
        "track_running_stats unflattened_size upper upscale_factor value values vdim weight zero_infinity"
    ).split()
)
