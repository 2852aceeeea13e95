"""The op table as `python -m scripts.optable` derives it from torch; the value is JSON. Not to be edited."""

RAW = {
"autocast":{
"fp32":"_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d acos asin binary_cross_entropy_with_logits cdist cosh cosine_embedding_loss cosine_similarity cross_entropy cumprod cumsum dist erfinv exp expm1 frobenius_norm group_norm hinge_embedding_loss huber_loss kl_div l1_loss layer_norm linalg_matrix_norm linalg_vector_norm log log10 log1p log2 log_softmax logsumexp margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss native_layer_norm nll_loss nll_loss2d nn.BCEWithLogitsLoss nn.CrossEntropyLoss nn.GroupNorm nn.KLDivLoss nn.L1Loss nn.LayerNorm nn.LogSoftmax nn.MSELoss nn.NLLLoss nn.RMSNorm nn.SmoothL1Loss nn.Softmax nn.Softmax2d nn.Softplus nuclear_norm pdist poisson_nll_loss pow prod reciprocal renorm rms_norm rsqrt sinh smooth_l1_loss soft_margin_loss softmax softplus special_log_softmax special_softmax sum tan triplet_margin_loss upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d",
"lower":"_convolution _scaled_dot_product_flash_attention _thnn_fused_gru_cell _thnn_fused_lstm_cell addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution einsum gru_cell linalg_matmul linalg_multi_dot linalg_vecdot linear lstm_cell matmul mm multi_head_attention_forward mv nn.Conv1d nn.Conv2d nn.Conv3d nn.ConvTranspose1d nn.ConvTranspose2d nn.ConvTranspose3d nn.LazyConv1d nn.LazyConv2d nn.LazyConv3d nn.LazyLinear nn.Linear nn.MultiheadAttention nn.PReLU prelu rnn_relu_cell rnn_tanh_cell scaled_dot_product_attention tensordot",
"widest":"addcdiv addcmul atan2 bilinear cross dot grid_sampler index_put scatter_add tensordot vdot"
},
"groups":{
"__ilshift__":[
"m|Scalar|3|w:self nodiff -> same(self)",
"m|Tensor|1|w:self nodiff -> same(self)"
],
"__irshift__":[
"m|Scalar|3|w:self nodiff -> same(self)",
"m|Tensor|1|w:self nodiff -> same(self)"
],
"__lshift__":[
"fm|Scalar|3|nodiff -> new",
"fm|Tensor|1|nodiff -> new"
],
"__rshift__":[
"fm|Scalar|3|nodiff -> new",
"fm|Tensor|1|nodiff -> new"
],
"_addmm_activation":[
"fmo||self:t mat1:t mat2:t * beta:n=1 alpha:n=1 use_gelu:b=F|nodiff -> new"
],
"_coalesced_":[
"m||self:t coalesced:b|w:self nodiff -> same(self)"
],
"_conj":[
"fm||0|*0() -> view(self)"
],
"_conj_physical":[
"fmo||0|*0() -> new"
],
"_dimI":[
"m||0|nodiff -> other"
],
"_dimV":[
"m||0|nodiff -> other"
],
"_foreach_abs":[
"fo||2|*0(self) -> list"
],
"_foreach_abs_":[
"f||2|AbsBackward0() w:self c:self -> other"
],
"_foreach_acos":[
"fo||2|*0(self) -> list"
],
"_foreach_acos_":[
"f||2|AcosBackward0() w:self c:self -> other"
],
"_foreach_add":[
"fo|Scalar|5|*1Scalar(self) -> list",
"fo|List|59|*0List(other,self) -> list",
"fo|ScalarList|6|*1ScalarList(self) -> list",
"fo|Tensor|210|*0Tensor(other,self) -> list"
],
"_foreach_add_":[
"f|Scalar|5|AddBackward1() w:self -> other",
"f|List|59|AddBackward0() w:self -> other",
"f|ScalarList|6|AddBackward1() w:self -> other",
"f|Tensor|210|AddBackward0() w:self -> other"
],
"_foreach_addcdiv":[
"fo|Scalar|62|*0Scalar(self,tensor1,tensor2) -> list",
"fo|ScalarList|60|*0ScalarList(self,tensor1,tensor2) -> list",
"fo|Tensor|61|nodiff -> list"
],
"_foreach_addcdiv_":[
"f|Scalar|62|AddcdivBackward0(tensor1?tensor2,tensor2) w:self -> other",
"f|ScalarList|60|AddcdivBackward0(tensor1?tensor2,tensor2) w:self -> other",
"f|Tensor|61|w:self nodiff -> other"
],
"_foreach_addcmul":[
"fo|Scalar|62|*0Scalar(self,tensor1,tensor2) -> list",
"fo|ScalarList|60|*0ScalarList(self,tensor1,tensor2) -> list",
"fo|Tensor|61|nodiff -> list"
],
"_foreach_addcmul_":[
"f|Scalar|62|AddcmulBackward0(tensor1?tensor2,tensor2?tensor1) w:self -> other",
"f|ScalarList|60|AddcmulBackward0(tensor1?tensor2,tensor2?tensor1) w:self -> other",
"f|Tensor|61|w:self nodiff -> other"
],
"_foreach_asin":[
"fo||2|*0(self) -> list"
],
"_foreach_asin_":[
"f||2|AsinBackward0() w:self c:self -> other"
],
"_foreach_atan":[
"fo||2|*0(self) -> list"
],
"_foreach_atan_":[
"f||2|AtanBackward0() w:self c:self -> other"
],
"_foreach_ceil":[
"fo||2|*0() -> list"
],
"_foreach_ceil_":[
"f||2|CeilBackward0() w:self over -> other"
],
"_foreach_clamp_max":[
"fo|Scalar|5|*0Scalar(self) -> list",
"fo|List|10|*1List(other,self) -> list",
"fo|ScalarList|6|*0ScalarList(self) -> list"
],
"_foreach_clamp_max_":[
"f|Scalar|5|ClampMaxBackward0() w:self c:self -> other",
"f|List|10|ClampMaxBackward1(max=other) w:self c:self+other -> other",
"f|ScalarList|6|ClampMaxBackward0() w:self c:self -> other"
],
"_foreach_clamp_min":[
"fo|Scalar|5|*0Scalar(self) -> list",
"fo|List|10|*1List(other,self) -> list",
"fo|ScalarList|6|*0ScalarList(self) -> list"
],
"_foreach_clamp_min_":[
"f|Scalar|5|ClampMinBackward0() w:self c:self -> other",
"f|List|10|ClampMinBackward1(min=other) w:self c:self+other -> other",
"f|ScalarList|6|ClampMinBackward0() w:self c:self -> other"
],
"_foreach_clone":[
"fo||self:tl * memory_format:o=N|*0() -> list"
],
"_foreach_copy_":[
"f||self:tl src:tl non_blocking:b=F|w:self nodiff -> other"
],
"_foreach_cos":[
"fo||2|*0(self) -> list"
],
"_foreach_cos_":[
"f||2|CosBackward0() w:self c:self -> other"
],
"_foreach_cosh":[
"fo||2|*0(self) -> list"
],
"_foreach_cosh_":[
"f||2|CoshBackward0() w:self c:self -> other"
],
"_foreach_div":[
"fo|Scalar|5|*1Scalar(self) -> list",
"fo|List|10|*0(other,self) -> list",
"fo|ScalarList|6|*1ScalarList(self) -> list",
"fo|Tensor|58|*0Tensor(other,self) -> list"
],
"_foreach_div_":[
"f|Scalar|5|DivBackward1() w:self -> other",
"f|List|10|DivBackward0(other) w:self c:other -> other",
"f|ScalarList|6|DivBackward1() w:self -> other",
"f|Tensor|58|DivBackward0(other) w:self c:other -> other"
],
"_foreach_erf":[
"fo||2|*0(self) -> list"
],
"_foreach_erf_":[
"f||2|ErfBackward0() w:self c:self -> other"
],
"_foreach_erfc":[
"fo||2|*0(self) -> list"
],
"_foreach_erfc_":[
"f||2|ErfcBackward0() w:self c:self -> other"
],
"_foreach_exp":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_exp_":[
"f||2|ExpBackward0() w:self -> other"
],
"_foreach_expm1":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_expm1_":[
"f||2|Expm1Backward0() w:self -> other"
],
"_foreach_floor":[
"fo||2|*0() -> list"
],
"_foreach_floor_":[
"f||2|FloorBackward0() w:self over -> other"
],
"_foreach_frac":[
"fo||2|*0() -> list"
],
"_foreach_frac_":[
"f||2|FracBackward0() w:self -> other"
],
"_foreach_lerp":[
"fo|List|213|*1List(self,tensors1,weights) -> list",
"fo|Scalar|212|*0Scalar() -> list",
"fo|ScalarList|211|*0ScalarList() -> list"
],
"_foreach_lerp_":[
"f|List|213|LerpBackward1(end=tensors1?weights,weight=weights) w:self c:weights -> other",
"f|Scalar|212|LerpBackward0() w:self -> other",
"f|ScalarList|211|LerpBackward0() w:self -> other"
],
"_foreach_lgamma":[
"fo||2|*0(self) -> list"
],
"_foreach_lgamma_":[
"f||2|LgammaBackward0() w:self c:self -> other"
],
"_foreach_log":[
"fo||2|*0(self) -> list"
],
"_foreach_log10":[
"fo||2|*0(self) -> list"
],
"_foreach_log10_":[
"f||2|Log10Backward0() w:self c:self -> other"
],
"_foreach_log1p":[
"fo||2|*0(self) -> list"
],
"_foreach_log1p_":[
"f||2|Log1PBackward0() w:self c:self -> other"
],
"_foreach_log2":[
"fo||2|*0(self) -> list"
],
"_foreach_log2_":[
"f||2|Log2Backward0() w:self c:self -> other"
],
"_foreach_log_":[
"f||2|LogBackward0() w:self c:self -> other"
],
"_foreach_max":[
"fo||2|*1(self,result=r0) -> list"
],
"_foreach_maximum":[
"fo|Scalar|5|*0(self) -> list",
"fo|List|10|*0List(other,self) -> list",
"fo|ScalarList|6|*1(self) -> list"
],
"_foreach_maximum_":[
"f|Scalar|5|w:self nodiff -> other",
"f|List|10|MaximumBackward0(other) w:self c:self+other -> other",
"f|ScalarList|6|w:self nodiff -> other"
],
"_foreach_minimum":[
"fo|Scalar|5|*0(self) -> list",
"fo|List|10|*0List(other,self) -> list",
"fo|ScalarList|6|*1(self) -> list"
],
"_foreach_minimum_":[
"f|Scalar|5|w:self nodiff -> other",
"f|List|10|MinimumBackward0(other) w:self c:self+other -> other",
"f|ScalarList|6|w:self nodiff -> other"
],
"_foreach_mm":[
"f||self:tl mat2:tl|*0(mat2,self) -> list"
],
"_foreach_mul":[
"fo|Scalar|5|*1Scalar(self) -> list",
"fo|List|10|*0List(other,self) -> list",
"fo|ScalarList|6|*1ScalarList(self) -> list",
"fo|Tensor|58|*0Tensor(other,self) -> list"
],
"_foreach_mul_":[
"f|Scalar|5|MulBackward1() w:self -> other",
"f|List|10|MulBackward0(other?self) w:self c:other -> other",
"f|ScalarList|6|MulBackward1() w:self -> other",
"f|Tensor|58|MulBackward0(other?self) w:self c:other -> other"
],
"_foreach_neg":[
"fo||2|*0() -> list"
],
"_foreach_neg_":[
"f||2|NegBackward0() w:self -> other"
],
"_foreach_norm":[
"fo|Scalar|209|*0(self,result=r0) -> list"
],
"_foreach_pow":[
"fo|List|205|*0(exponent,self,result=r0) -> list",
"fo|Scalar|204|*0Scalar(self) -> list",
"fo|ScalarList|206|*1(self) -> list",
"fo|ScalarAndTensor|self:n exponent:tl|*2(exponent,result=r0) -> list"
],
"_foreach_pow_":[
"f|List|205|PowBackward1(exponent) w:self c:self+exponent -> other",
"f|Scalar|204|PowBackward0() w:self c:self -> other",
"f|ScalarList|206|PowBackward0() w:self c:self -> other"
],
"_foreach_powsum":[
"fo|Scalar|209|nodiff -> list"
],
"_foreach_reciprocal":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_reciprocal_":[
"f||2|ReciprocalBackward0() w:self -> other"
],
"_foreach_round":[
"fo||2|*0() -> list"
],
"_foreach_round_":[
"f||2|RoundBackward0() w:self over -> other"
],
"_foreach_rsqrt":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_rsqrt_":[
"f||2|RsqrtBackward0() w:self -> other"
],
"_foreach_sigmoid":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_sigmoid_":[
"f||2|SigmoidBackward0() w:self -> other"
],
"_foreach_sign":[
"fo||2|*0() -> list"
],
"_foreach_sign_":[
"f||2|SignBackward0() w:self over -> other"
],
"_foreach_sin":[
"fo||2|*0(self) -> list"
],
"_foreach_sin_":[
"f||2|SinBackward0() w:self c:self -> other"
],
"_foreach_sinh":[
"fo||2|*0(self) -> list"
],
"_foreach_sinh_":[
"f||2|SinhBackward0() w:self c:self -> other"
],
"_foreach_sqrt":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_sqrt_":[
"f||2|SqrtBackward0() w:self -> other"
],
"_foreach_sub":[
"fo|Scalar|5|*1Scalar(self) -> list",
"fo|List|59|*0List(other,self) -> list",
"fo|ScalarList|6|*1ScalarList(self) -> list"
],
"_foreach_sub_":[
"f|Scalar|5|SubBackward1() w:self -> other",
"f|List|59|SubBackward0() w:self -> other",
"f|ScalarList|6|SubBackward1() w:self -> other"
],
"_foreach_tan":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_tan_":[
"f||2|TanBackward0() w:self -> other"
],
"_foreach_tanh":[
"fo||2|*0(result=r0) -> list"
],
"_foreach_tanh_":[
"f||2|TanhBackward0() w:self -> other"
],
"_foreach_trunc":[
"fo||2|*0() -> list"
],
"_foreach_trunc_":[
"f||2|TruncBackward0() w:self over -> other"
],
"_foreach_zero_":[
"f||2|ZeroBackward0() w:self over -> other"
],
"_fused_adagrad_":[
"f||self:tl grads:tl state_sums:tl state_steps:tl * lr:n lr_decay:n weight_decay:n eps:n maximize:b grad_scale:t=N found_inf:t=N|w!:self+grads+state_sums+state_steps nodiff -> other",
"f|tensor_lr|self:tl grads:tl state_sums:tl state_steps:tl * lr:t lr_decay:n weight_decay:n eps:n maximize:b grad_scale:t=N found_inf:t=N|w!:self+grads+state_sums nodiff -> other"
],
"_fused_adam_":[
"f||207|w!:self+grads+exp_avgs+exp_avg_sqs+max_exp_avg_sqs nodiff -> other",
"f|tensor_lr|208|w!:self+grads+exp_avgs+exp_avg_sqs+max_exp_avg_sqs nodiff -> other"
],
"_fused_adamw_":[
"f||207|w!:self+grads+exp_avgs+exp_avg_sqs+max_exp_avg_sqs nodiff -> other",
"f|tensor_lr|208|w!:self+grads+exp_avgs+exp_avg_sqs+max_exp_avg_sqs nodiff -> other"
],
"_fused_dropout":[
"fo||self:t p:n generator:o=N|*0(result1=r1) -> new,new"
],
"_fused_sgd_":[
"f||self:tl grads:tl momentum_buffer_list:tl * weight_decay:n momentum:n lr:n dampening:n nesterov:b maximize:b is_first_step:b grad_scale:t=N found_inf:t=N|w!:self+grads+momentum_buffer_list nodiff -> other",
"f|tensor_lr|self:tl grads:tl momentum_buffer_list:tl * weight_decay:n momentum:n lr:t dampening:n nesterov:b maximize:b is_first_step:b grad_scale:t=N found_inf:t=N|w!:self+grads+momentum_buffer_list nodiff -> other"
],
"_indices":[
"m||0|nodiff -> view(self)!"
],
"_is_all_true":[
"fm||0|nodiff -> new"
],
"_is_any_true":[
"fm||0|nodiff -> new"
],
"_lazy_clone":[
"fm||0|*0() -> new"
],
"_neg_view":[
"fm||0|*0() -> view(self)"
],
"_nnz":[
"m||0|nodiff -> other"
],
"_philox_normal_":[
"fm||self:t key:t mean:n=0 std:n=1|w:self nodiff -> same(self)"
],
"_philox_uniform_":[
"fm||self:t key:t low:n=0 high:n=1|w:self nodiff -> same(self)"
],
"_to_dense":[
"m||self:t dtype:o=N masked_grad:b=N|*0(self) -> new"
],
"_to_sparse":[
"m|sparse_dim|192|*0() -> new",
"m||122|*1() -> new"
],
"_to_sparse_bsc":[
"m||129|*0() -> new"
],
"_to_sparse_bsr":[
"m||129|*0() -> new"
],
"_to_sparse_csc":[
"m||131|*0() -> new"
],
"_to_sparse_csr":[
"m||131|*0() -> new"
],
"_values":[
"m||0|nodiff -> view(self)!"
],
"abs":[
"fmo||0|*0(self) -> new:s"
],
"abs_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"absolute":[
"fmo||0|AbsBackward0(self) -> new:s"
],
"absolute_":[
"m||0|w:self c:self -> same(self)"
],
"acos":[
"fmo||0|*0(self) -> new:f"
],
"acos_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"acosh":[
"fmo||0|*0(self) -> new:f"
],
"acosh_":[
"fm||0|*1() w:self nodiff -> same(self)"
],
"adaptive_avg_pool1d":[
"fo||182|-> new:s|output_size==1",
"fo||182|AdaptiveAvgPool2DBackward0(self) -> new:s|output_size!=1"
],
"add":[
"fmo|Tensor|21|*0() -> new:s"
],
"add_":[
"m|Tensor|21|*0() w:self -> same(self)"
],
"addbmm":[
"fmo||42|*0(batch1?batch2,batch2?batch1) -> new:s"
],
"addbmm_":[
"m||42|*0(batch1?batch2,batch2?batch1) w:self -> same(self)"
],
"addcdiv":[
"fmo||56|*0(tensor1?tensor2,tensor2) -> new:s"
],
"addcdiv_":[
"m||56|*0(tensor1?tensor2,tensor2) w:self -> same(self)"
],
"addcmul":[
"fmo||56|*0(tensor1?tensor2,tensor2?tensor1) -> new:s"
],
"addcmul_":[
"m||56|*0(tensor1?tensor2,tensor2?tensor1) w:self -> same(self)"
],
"addmm":[
"fmo||164|*0(mat1?mat2,mat2?mat1) -> new:s",
"fo|dtype|self:t mat1:t mat2:t out_dtype:o * beta:n=1 alpha:n=1|nodiff -> new:s"
],
"addmm_":[
"m||164|*0(mat1?mat2,mat2?mat1) w:self -> same(self)"
],
"addmv":[
"fmo||167|*0(mat?vec,vec?mat) -> new:s"
],
"addmv_":[
"fm||167|*0(mat?vec,vec?mat) w:self -> same(self)"
],
"addr":[
"fmo||202|*0(vec1?vec2,vec2?vec1) -> new:s"
],
"addr_":[
"m||202|*0(vec1?vec2,vec2?vec1) w:self -> same(self)"
],
"adjoint":[
"fm||0|-> view(self):s"
],
"affine_grid_generator":[
"fo||theta:t size:il align_corners:b|*0() -> new"
],
"alias_copy":[
"fo||0|AliasBackward0_copy() -> new:s"
],
"all":[
"fmo|dim|25|nodiff -> new:b!",
"fmo|dims|147|nodiff -> new:b!",
"fmo||0|nodiff -> new:b!"
],
"allclose":[
"fm||181|nodiff -> other"
],
"alpha_dropout":[
"f||9|-> same(input)|p==0",
"f||9|-> same(input)|p!=0&train==F",
"f||9|-> new:s|p!=0&train!=F"
],
"alpha_dropout_":[
"f||18|-> same(self)|train==F",
"f||18|w:self -> same(self)|train!=F"
],
"amax":[
"fmo||146|*0(self,result=r0) -> new:s"
],
"amin":[
"fmo||146|*0(self,result=r0) -> new:s"
],
"aminmax":[
"fmo||self:t * dim:i=N keepdim:b=F|*0(self,max=r1,min=r0) -> min=new:s,max=new:s"
],
"angle":[
"fmo||0|*0(self) -> new:f"
],
"any":[
"fmo|dim|25|nodiff -> new:b!",
"fmo|dims|147|nodiff -> new:b!",
"fmo||0|nodiff -> new:b!"
],
"arange":[
"fo||end:n * opts|nodiff factory -> new",
"fo|start|start:n end:n * opts|nodiff factory -> new",
"fo|start_step|start:n end:n step:n=1 * opts|nodiff factory -> new"
],
"arccos":[
"fmo||0|AcosBackward0(self) -> new:s"
],
"arccos_":[
"fm||0|w:self c:self -> same(self)"
],
"arccosh":[
"fmo||0|AcoshBackward0(self) -> new:s"
],
"arccosh_":[
"fm||0|w:self -> same(self)"
],
"arcsin":[
"fmo||0|AsinBackward0(self) -> new:s"
],
"arcsin_":[
"fm||0|w:self c:self -> same(self)"
],
"arcsinh":[
"fmo||0|AsinhBackward0(self) -> new:s"
],
"arcsinh_":[
"fm||0|w:self -> same(self)"
],
"arctan":[
"fmo||0|AtanBackward0(self) -> new:s"
],
"arctan2":[
"fmo||1|Atan2Backward0(other,self) -> new:s"
],
"arctan2_":[
"m||1|Atan2Backward0(other) w:self c:self+other -> same(self)"
],
"arctan_":[
"fm||0|w:self c:self -> same(self)"
],
"arctanh":[
"fmo||0|AtanhBackward0(self) -> new:s"
],
"arctanh_":[
"fm||0|w:self -> same(self)"
],
"argmax":[
"fmo||143|nodiff -> new:i!"
],
"argmin":[
"fmo||143|nodiff -> new:i!"
],
"argsort":[
"fmo||141|nodiff -> new:i!",
"fmo|stable|125|nodiff -> new:i!"
],
"argwhere":[
"fm||0|nodiff -> new:i!"
],
"as_strided":[
"fm||86|*0() -> view(self):s"
],
"as_strided_":[
"fm||86|*1() w:self meta -> same(self)"
],
"as_strided_copy":[
"fo||86|AsStridedBackward0_copy() -> new:s"
],
"as_strided_scatter":[
"fmo||self:t src:t size:il stride:il storage_offset:i=N|*0() -> new:s"
],
"asin":[
"fmo||0|*0(self) -> new:f"
],
"asin_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"asinh":[
"fmo||0|*0(self) -> new:f"
],
"asinh_":[
"fm||0|*1() w:self nodiff -> same(self)"
],
"atan":[
"fmo||0|*0(self) -> new:f"
],
"atan2":[
"fmo||1|*0(other,self) -> new:f"
],
"atan2_":[
"m||1|*0(other) w:self c:self+other -> same(self)"
],
"atan_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"atanh":[
"fmo||0|*0(self) -> new:f"
],
"atanh_":[
"fm||0|*1() w:self nodiff -> same(self)"
],
"avg_pool1d":[
"fo||self:t kernel_size:il stride:il=? padding:il=0 ceil_mode:b=F count_include_pad:b=T|AvgPool2DBackward0(self) -> new:s"
],
"avg_pool2d":[
"fo||157|*0(self) -> new:s"
],
"avg_pool3d":[
"fo||157|*0(self) -> new:s"
],
"baddbmm":[
"fmo||42|*0(batch1?batch2,batch2?batch1) -> new:s",
"fo|dtype|self:t batch1:t batch2:t out_dtype:o * beta:n=1 alpha:n=1|nodiff -> new:s"
],
"baddbmm_":[
"m||42|*0(batch1?batch2,batch2?batch1) w:self -> same(self)"
],
"bartlett_window":[
"fo||32|nodiff factory -> new",
"fo|periodic|33|nodiff factory -> new"
],
"batch_norm":[
"f||113|NativeBatchNormBackward0(input,running_mean,running_var,weight) d:input+weight+bias -> new:s|training==F",
"f||113|NativeBatchNormBackward0(input,running_mean,running_var,weight) d:input+weight+bias w!:running_mean+running_var -> new:s|training!=F"
],
"batch_norm_backward_elemt":[
"fo||grad_out:t input:t mean:t invstd:t weight:t sum_dy:t sum_dy_xmu:t count:t|nodiff -> new"
],
"batch_norm_backward_reduce":[
"fo||grad_out:t input:t mean:t invstd:t weight:t input_g:b weight_g:b bias_g:b|nodiff -> new,new,new,new"
],
"batch_norm_elemt":[
"fo||input:t weight:t bias:t mean:t invstd:t eps:n|nodiff -> new"
],
"batch_norm_gather_stats":[
"fo||input:t mean:t invstd:t running_mean:t running_var:t momentum:n eps:n count:i|nodiff -> new,new"
],
"batch_norm_gather_stats_with_counts":[
"fo||input:t mean:t invstd:t running_mean:t running_var:t momentum:n eps:n counts:t|nodiff -> new,new"
],
"batch_norm_stats":[
"fo||input:t eps:n|nodiff -> new,new"
],
"batch_norm_update_stats":[
"fo||input:t running_mean:t running_var:t momentum:n|nodiff -> new,new"
],
"bernoulli":[
"fmo||121|*0() -> new:s",
"fmo|p|183|nodiff -> new:s"
],
"bernoulli_":[
"m|Tensor|self:t p:t * generator:o=N|*1() w:self over -> same(self)",
"m|float|self:t p:n=0.5 * generator:o=N|*2() w:self over -> same(self)"
],
"bilinear":[
"f||input1:t input2:t weight:t bias:t=N|TrilinearBackward0(i1=input1?input2+weight,i3=input2?input1+weight,i2=weight?input1+input2) -> new:s"
],
"binary_cross_entropy_with_logits":[
"fo||self:t target:t weight:t=N pos_weight:t=N reduction:i=?|*0(pos_weight,self,target,weight) d:self+target -> new"
],
"bincount":[
"fmo||self:t weights:t=N minlength:i=0|nodiff -> new"
],
"binomial":[
"fo||count:t prob:t generator:o=N|nodiff -> new"
],
"bitwise_and":[
"fmo|Scalar|3|nodiff -> new",
"fo|Scalar_Tensor|16|nodiff -> new",
"fmo|Tensor|1|nodiff -> new"
],
"bitwise_and_":[
"m|Scalar|3|w:self nodiff -> same(self)",
"m|Tensor|1|w:self nodiff -> same(self)"
],
"bitwise_left_shift":[
"fmo|Tensor|1|nodiff -> new",
"fmo|Tensor_Scalar|3|nodiff -> new",
"fo|Scalar_Tensor|16|nodiff -> new"
],
"bitwise_left_shift_":[
"m|Tensor|1|w:self nodiff -> same(self)",
"m|Tensor_Scalar|3|w:self nodiff -> same(self)"
],
"bitwise_not":[
"fmo||0|nodiff -> new"
],
"bitwise_not_":[
"m||0|w:self nodiff -> same(self)"
],
"bitwise_or":[
"fmo|Scalar|3|nodiff -> new",
"fo|Scalar_Tensor|16|nodiff -> new",
"fmo|Tensor|1|nodiff -> new"
],
"bitwise_or_":[
"m|Scalar|3|w:self nodiff -> same(self)",
"m|Tensor|1|w:self nodiff -> same(self)"
],
"bitwise_right_shift":[
"fmo|Tensor|1|nodiff -> new",
"fmo|Tensor_Scalar|3|nodiff -> new",
"fo|Scalar_Tensor|16|nodiff -> new"
],
"bitwise_right_shift_":[
"m|Tensor|1|w:self nodiff -> same(self)",
"m|Tensor_Scalar|3|w:self nodiff -> same(self)"
],
"bitwise_xor":[
"fmo|Scalar|3|nodiff -> new",
"fo|Scalar_Tensor|16|nodiff -> new",
"fmo|Tensor|1|nodiff -> new"
],
"bitwise_xor_":[
"m|Scalar|3|w:self nodiff -> same(self)",
"m|Tensor|1|w:self nodiff -> same(self)"
],
"blackman_window":[
"fo||32|nodiff factory -> new",
"fo|periodic|33|nodiff factory -> new"
],
"bmm":[
"fmo||165|*0(mat2?self,self?mat2) -> new:s",
"fo|dtype|166|nodiff -> new:s"
],
"broadcast_to":[
"fm||54|-> view(self):s"
],
"bucketize":[
"fo|Tensor|self:t boundaries:t * out_int32:b=F right:b=F|nodiff -> new:i!",
"fo|Scalar|self:n boundaries:t * out_int32:b=F right:b=F|nodiff -> new:i!"
],
"cat":[
"fo||64|*0() -> new:s"
],
"cauchy_":[
"m||self:t median:n=0 sigma:n=1 * generator:o=N|*0() w:self over -> same(self)"
],
"ccol_indices":[
"m||0|nodiff -> view(self)!"
],
"ccol_indices_copy":[
"fo||0|nodiff -> new!"
],
"ceil":[
"fmo||0|*0() -> new:s"
],
"ceil_":[
"fm||0|*0() w:self over -> same(self)"
],
"celu":[
"fo||127|*0(self) -> new"
],
"celu_":[
"f||127|*1(result=r0) w:self -> same(self)"
],
"chalf":[
"m||123|-> new:c"
],
"channel_shuffle":[
"fo||self:t groups:i|*0() -> new:s"
],
"cholesky":[
"fmo||198|*0(result=r0) -> new:s"
],
"cholesky_inverse":[
"fmo||198|*0(self,result=r0) -> new:s"
],
"cholesky_solve":[
"fmo||self:t input2:t upper:b=F|*0(input2,self,result=r0) -> new:s"
],
"chunk":[
"fm||130|-> views(self):s"
],
"clamp":[
"fmo||82|*1(self) -> new:s",
"fmo|Tensor|26|*0(max,min,self) -> new:s"
],
"clamp_":[
"fm||82|*1() w:self c:self -> same(self)",
"fm|Tensor|26|*0(max,min) w:self c:self+min+max -> same(self)"
],
"clamp_max":[
"fmo||168|*0(self) -> new:s",
"fmo|Tensor|169|*1(max,self) -> new:s"
],
"clamp_max_":[
"fm||168|*0() w:self c:self -> same(self)",
"fm|Tensor|169|*1(max) w:self c:self+max -> same(self)"
],
"clamp_min":[
"fmo||170|*0(self) -> new:s",
"fmo|Tensor|171|*1(min,self) -> new:s"
],
"clamp_min_":[
"fm||170|*0() w:self c:self -> same(self)",
"fm|Tensor|171|*1(min) w:self c:self+min -> same(self)"
],
"clip":[
"fmo|Tensor|26|ClampBackward0(max,min,self) -> new:s"
],
"clip_":[
"fm||82|w:self c:self -> same(self)",
"fm|Tensor|26|ClampBackward0(min) w:self c:self+min -> same(self)|max==N",
"fm|Tensor|26|ClampBackward0(max) w:self c:self+max -> same(self)|max!=N&min==N",
"fm|Tensor|26|ClampBackward0(max,min) w:self c:self+min+max -> same(self)|max!=N&min!=N"
],
"clone":[
"fmo||123|*0() -> new:s"
],
"col_indices":[
"m||0|nodiff -> view(self)!"
],
"col_indices_copy":[
"fo||0|nodiff -> new!"
],
"column_stack":[
"fo||22|-> new:s"
],
"combinations":[
"f||self:t r:i=2 with_replacement:b=F|MaskedSelectBackward0(self) -> new:s"
],
"complex":[
"fo||real:t imag:t|*0(imag?imag,real?real) -> new:c"
],
"concat":[
"fo||64|-> new:s"
],
"concatenate":[
"fo||64|-> new:s"
],
"conj":[
"fm||0|-> same(self)"
],
"conj_physical":[
"fmo||0|-> same(self)"
],
"conj_physical_":[
"fm||0|*1() w:self -> same(self)"
],
"constant_pad_nd":[
"fo||self:t pad:il value:n=0|*0() -> new:s"
],
"contiguous":[
"m||self:t * memory_format:o=?|-> maybe(self):s"
],
"conv1d":[
"f||73|ConvolutionBackward0(input,weight) -> new:s",
"f|padding|15|ConvolutionBackward0(~input,weight) -> new:s|bias==N&padding==same",
"f|padding|15|ConvolutionBackward0(input,weight) -> new:s|bias==N&padding!=same",
"f|padding|15|ConvolutionBackward0(input,weight) -> new:s|bias!=N"
],
"conv2d":[
"f||73|ConvolutionBackward0(input,weight) -> new:s",
"f|padding|15|ConvolutionBackward0(input,weight) -> new:s|padding==same&bias==N",
"f|padding|15|ConvolutionBackward0(weight) -> new:s|padding==same&bias!=N",
"f|padding|15|ConvolutionBackward0(input,weight) -> new:s|padding!=same"
],
"conv3d":[
"f||73|ConvolutionBackward0(input,weight) -> new:s",
"f|padding|15|ConvolutionBackward0(~input,weight) -> new:s|padding==same&bias==N",
"f|padding|15|ConvolutionBackward0(input,weight) -> new:s|padding==same&bias!=N",
"f|padding|15|ConvolutionBackward0(input,weight) -> new:s|padding!=same"
],
"conv_tbc":[
"fo||self:t weight:t bias:t pad:i=0|*0(bias,self,weight) -> new"
],
"conv_transpose1d":[
"f||74|ConvolutionBackward0(input,weight) -> new:s"
],
"conv_transpose2d":[
"f|input|74|ConvolutionBackward0(input,weight) -> new:s"
],
"conv_transpose3d":[
"f|input|74|ConvolutionBackward0(input,weight) -> new:s"
],
"convolution":[
"fo||input:t weight:t bias:t stride:il padding:il dilation:il transposed:b output_padding:il groups:i|*0(input,weight) -> new"
],
"copy_":[
"m||self:t src:t non_blocking:b=F|w:self nodiff -> same(self)"
],
"copysign":[
"fmo|Tensor|1|*0(self?self,result=r0) -> new:f",
"fmo|Scalar|3|*1(self,result=r0) -> new:f"
],
"copysign_":[
"m|Tensor|1|*0(result=r0) w:self c:self -> same(self)",
"m|Scalar|3|*1(result=r0) w:self c:self -> same(self)"
],
"corrcoef":[
"fm||0|-> new:s"
],
"cos":[
"fmo||0|*0(self) -> new:f"
],
"cos_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"cosh":[
"fmo||0|*0(self) -> new:f"
],
"cosh_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"cosine_similarity":[
"f||x1:t x2:t dim:i=1 eps:n=1e-08|DivBackward0(self=x1?x1,self=x2?x2) -> new:s"
],
"count_nonzero":[
"fmo|dim_IntList|46|nodiff -> new:i!",
"fmo||self:t dim:i=N|nodiff -> new:i!"
],
"cov":[
"fm||77|MulBackward0(other=fweights) d:self -> new:s|aweights==N",
"fm||77|MulBackward0(other=aweights,self?aweights) -> new:s|aweights!=N&fweights==N",
"fm||77|MulBackward0(~other=aweights?aweights,self=fweights?aweights,self?aweights) d:self+aweights -> new:s|aweights!=N&fweights!=N"
],
"cross":[
"fmo||self:t other:t dim:i=N|LinalgCrossBackward0(other?self,self?other) -> new:s"
],
"crow_indices":[
"m||0|nodiff -> view(self)!"
],
"crow_indices_copy":[
"fo||0|nodiff -> new!"
],
"cummax":[
"fmo||17|*0(self,indices=r1) -> values=new:s,indices=new:i!"
],
"cummin":[
"fmo||17|*0(self,indices=r1) -> values=new:s,indices=new:i!"
],
"cumprod":[
"fmo||31|*0(self,result=r0) -> new:s"
],
"cumprod_":[
"m||31|*0(result=r0) w:self c:self -> same(self)"
],
"cumsum":[
"fmo||31|*0() -> new:s"
],
"cumsum_":[
"m||31|*0() w:self -> same(self)"
],
"cumulative_trapezoid":[
"f|x|93|-> new:s",
"f|dx|92|-> new:s"
],
"deg2rad":[
"fmo||0|*0() -> new:f"
],
"deg2rad_":[
"fm||0|*0() w:self -> same(self)"
],
"dense_dim":[
"m||0|nodiff -> other"
],
"dequantize":[
"fmo|self|0|nodiff -> new",
"fo|tensors|22|nodiff -> list"
],
"det":[
"fm||0|LinalgDetBackward0(result=r0,A=self) -> new:s"
],
"detach":[
"fm||0|nodiff -> view(self)"
],
"detach_":[
"fm||0|w:self meta nodiff -> same(self)"
],
"detach_copy":[
"fo||0|nodiff -> new"
],
"diag":[
"fmo||29|-> new:s"
],
"diag_embed":[
"fmo||self:t offset:i=0 dim1:i=-2 dim2:i=-1|*0() -> new:s"
],
"diagflat":[
"fm||self:t offset:i=0|-> new:s"
],
"diagonal":[
"fm||174|*0() -> view(self):s"
],
"diagonal_copy":[
"fo||174|DiagonalBackward0_copy() -> new:s"
],
"diagonal_scatter":[
"fmo||self:t src:t offset:i=0 dim1:i=0 dim2:i=1|*0() -> new:s"
],
"diff":[
"fmo||self:t n:i=1 dim:i=-1 prepend:t=N append:t=N|-> new:s"
],
"digamma":[
"fmo||0|*0(self) -> new:f"
],
"digamma_":[
"m||0|*0() w:self c:self -> same(self)"
],
"dist":[
"fmo||self:t other:t p:n=2|*0(other,self,result=r0) -> new:s"
],
"div":[
"fmo|Tensor|1|*0(other,self?other) -> new",
"fmo|Tensor_mode|52|*2(other,self?other) -> new",
"fmo|Scalar_mode|179|*3() -> new"
],
"div_":[
"m|Tensor|1|*0(other) w:self c:other -> same(self)",
"m|Tensor_mode|52|*2(other) w:self c:other -> same(self)",
"m|Scalar_mode|179|*3() w:self -> same(self)"
],
"divide":[
"fmo|Tensor|1|DivBackward0(other,self?other) -> new:s",
"fmo|Tensor_mode|52|DivBackward2(other,self?other) -> new:s"
],
"divide_":[
"m|Tensor|1|DivBackward0(other) w:self c:other -> same(self)",
"m|Tensor_mode|52|DivBackward2(other) w:self c:other -> same(self)"
],
"dot":[
"fmo||196|*0(self?tensor,tensor?self) -> new:s"
],
"dropout":[
"f||9|-> same(input)|train==F",
"f||9|-> same(input)|train!=F&p==0",
"f||9|-> new:s|train!=F&p!=0"
],
"dropout_":[
"f||18|-> same(self)|train==F",
"f||18|w:self -> same(self)|train!=F"
],
"dsplit":[
"fm|int|85|-> slices(self):s"
],
"dstack":[
"fo||22|-> new:s"
],
"elu_":[
"f||self:t alpha:n=1 scale:n=1 input_scale:n=1|*1(result=r0) w:self -> same(self)"
],
"embedding":[
"fo||weight:t indices:t padding_idx:i=-1 scale_grad_by_freq:b=F sparse:b=F|*0(indices) d:weight -> new:s"
],
"embedding_renorm_":[
"f||self:t indices:t max_norm:n norm_type:n|*0() d:self w:self nodiff -> same(self)"
],
"empty":[
"fo|memory_format|size:v * memory_format:o=N opts|nodiff factory -> new"
],
"empty_like":[
"fo||28|nodiff factory -> new:s"
],
"empty_permuted":[
"fo||size:il physical_layout:il * opts|nodiff factory -> new"
],
"empty_quantized":[
"fo||size:il qtensor:t * memory_format:o=N opts|nodiff -> new"
],
"empty_strided":[
"fo||size:il stride:il * opts|nodiff factory -> new"
],
"eq":[
"fmo|Scalar|3|nodiff -> new:b!",
"fmo|Tensor|1|nodiff -> new:b!"
],
"eq_":[
"m|Scalar|3|*0() w:self over -> same(self)",
"m|Tensor|1|*1() w:self over -> same(self)"
],
"equal":[
"fm||1|nodiff -> other"
],
"erf":[
"fmo||0|*0(self) -> new:f"
],
"erf_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"erfc":[
"fmo||0|*0(self) -> new:f"
],
"erfc_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"erfinv":[
"fmo||0|*0(self) -> new:f"
],
"erfinv_":[
"m||0|*0() w:self c:self -> same(self)"
],
"exp":[
"fmo||0|*0(result=r0) -> new:f"
],
"exp2":[
"fmo||0|*0(result=r0) -> new:f"
],
"exp2_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"exp_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"expand":[
"m||190|*0() -> view(self):s"
],
"expand_as":[
"m||1|d:self -> view(self):s"
],
"expand_copy":[
"fo||190|ExpandBackward0_copy() -> new:s"
],
"expm1":[
"fmo||0|*0(result=r0) -> new:f"
],
"expm1_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"exponential_":[
"m||self:t lambd:n=1 * generator:o=N|*0() w:self over -> same(self)"
],
"eye":[
"fo||116|nodiff factory -> new",
"fo|m|n:i m:i * opts|nodiff factory -> new"
],
"feature_alpha_dropout":[
"f||9|-> same(input)|p==0",
"f||9|-> same(input)|p!=0&train==F",
"f||9|-> new:s|p!=0&train!=F"
],
"feature_alpha_dropout_":[
"f||18|-> same(self)|train==F",
"f||18|w:self -> same(self)|train!=F"
],
"feature_dropout":[
"f||9|-> same(input)|p==0",
"f||9|-> same(input)|p!=0&train==F",
"f||9|-> new:s|p!=0&train!=F"
],
"feature_dropout_":[
"f||18|-> same(self)|train==F",
"f||18|w:self -> same(self)|train!=F"
],
"fft_fft":[
"fo||8|FftR2CBackward0(self) -> new:c|n==N",
"fo||8|-> new:c|n!=N&norm==ortho",
"fo||8|FftR2CBackward0(self) -> new:c|n!=N&norm!=ortho"
],
"fft_fft2":[
"fo||19|-> new:c"
],
"fft_fftfreq":[
"fo||117|nodiff factory -> new"
],
"fft_fftn":[
"fo||20|-> new:c"
],
"fft_fftshift":[
"f||149|-> new:s"
],
"fft_hfft":[
"fo||8|-> new:s"
],
"fft_hfft2":[
"fo||19|-> new:s"
],
"fft_hfftn":[
"fo||20|-> new:s"
],
"fft_ifft":[
"fo||8|FftR2CBackward0(self) -> new:c|n==N",
"fo||8|-> new:c|n!=N&norm==ortho",
"fo||8|FftR2CBackward0(self) -> new:c|n!=N&norm!=ortho"
],
"fft_ifft2":[
"fo||19|-> new:c"
],
"fft_ifftn":[
"fo||20|-> new:c"
],
"fft_ifftshift":[
"f||149|-> new:s"
],
"fft_ihfft":[
"fo||8|FftR2CBackward0(self) -> new:c|n==N",
"fo||8|-> new:c|n!=N&norm==ortho",
"fo||8|FftR2CBackward0(self) -> new:c|n!=N&norm!=ortho"
],
"fft_ihfft2":[
"fo||19|FftR2CBackward0(self) -> new:c|s==N",
"fo||19|-> new:c|s!=N"
],
"fft_ihfftn":[
"fo||20|FftR2CBackward0(self) -> new:c|s==N",
"fo||20|-> new:c|s!=N"
],
"fft_irfft":[
"fo||8|-> new:s"
],
"fft_irfft2":[
"fo||19|-> new:s"
],
"fft_irfftn":[
"fo||20|-> new:s"
],
"fft_rfft":[
"fo||8|FftR2CBackward0(self) -> new:c|n==N",
"fo||8|-> new:c|n!=N&norm==ortho",
"fo||8|FftR2CBackward0(self) -> new:c|n!=N&norm!=ortho"
],
"fft_rfft2":[
"fo||19|FftR2CBackward0(self) -> new:c|s==N",
"fo||19|-> new:c|s!=N"
],
"fft_rfftfreq":[
"fo||117|nodiff factory -> new"
],
"fft_rfftn":[
"fo||20|FftR2CBackward0(self) -> new:c|s==N",
"fo||20|-> new:c|s!=N"
],
"fill":[
"fo|Scalar|199|*0() -> new:s",
"fo|Tensor|200|*1() -> new:s"
],
"fill_":[
"fm|Scalar|199|*2() w:self over -> same(self)",
"fm|Tensor|200|*3() w:self over -> same(self)"
],
"fill_diagonal_":[
"m||self:t fill_value:n wrap:b=F|w:self -> same(self)"
],
"fix":[
"fmo||0|-> new:s"
],
"fix_":[
"fm||0|w:self -> same(self)"
],
"flatten":[
"fm|using_ints|self:t start_dim:i=0 end_dim:i=-1|-> maybe(self):s"
],
"flip":[
"fmo||48|*0() -> new:s"
],
"fliplr":[
"fm||0|-> new:s"
],
"flipud":[
"fm||0|-> new:s"
],
"float_power":[
"fmo|Tensor_Tensor|49|PowBackward1(result=r0) -> new:s"
],
"float_power_":[
"m|Scalar|81|w:self c:self -> same(self)",
"m|Tensor|49|PowBackward1(exponent,result=r0) w:self c:self+exponent -> same(self)"
],
"floor":[
"fmo||0|*0() -> new:s"
],
"floor_":[
"fm||0|*0() w:self over -> same(self)"
],
"floor_divide":[
"fmo||1|nodiff -> new:s",
"fmo|Scalar|3|nodiff -> new:s"
],
"floor_divide_":[
"m|Tensor|1|w:self nodiff -> same(self)",
"m|Scalar|3|w:self nodiff -> same(self)"
],
"fmax":[
"fmo||1|*0(other,self) -> new:s"
],
"fmin":[
"fmo||1|*0(other,self) -> new:s"
],
"fmod":[
"fmo|Scalar|3|*0() -> new:s",
"fmo|Tensor|1|*1(other?other,self?other) -> new:s"
],
"fmod_":[
"m|Scalar|3|*0() w:self -> same(self)",
"m|Tensor|1|*1(other?other) w:self c:other -> same(self)"
],
"frac":[
"fmo||0|*0() -> new:s"
],
"frac_":[
"fm||0|*0() w:self -> same(self)"
],
"frexp":[
"fmo|Tensor|0|*0(exponent=r1) -> mantissa=new:s,exponent=new:i!"
],
"from_file":[
"fo||filename:s shared:b=N size:i=0 * opts|nodiff factory -> new"
],
"full":[
"fo||size:il fill_value:n * opts|nodiff factory -> new"
],
"full_like":[
"fo||self:t fill_value:n * memory_format:o=N opts|nodiff factory -> new:s"
],
"gather":[
"fmo||self:t dim:i index:t * sparse_grad:b=F|*0(index,self) d:self -> new:s"
],
"gcd":[
"fmo||1|nodiff -> new"
],
"gcd_":[
"fm||1|w:self nodiff -> same(self)"
],
"ge":[
"fmo|Scalar|3|nodiff -> new:b!",
"fmo|Tensor|1|nodiff -> new:b!"
],
"ge_":[
"m|Scalar|3|*0() w:self over -> same(self)",
"m|Tensor|1|*1() w:self over -> same(self)"
],
"gelu":[
"fo||self:t * approximate:s=none|*0(self) -> new:s"
],
"geometric_":[
"m||183|*0() w:self over -> same(self)"
],
"geqrf":[
"fmo||0|*0() nodiff -> a=new:s,tau=new:s"
],
"ger":[
"fmo||203|MulBackward0(self?vec2,other=vec2?self) -> new:s"
],
"gradient":[
"f|scalarint|124|-> list|dim==N",
"f|scalarint|124|-> new:s,new:s|dim!=N",
"f|tensorarrayint|self:t * spacing:tl dim:i=N edge_order:i=1|MulBackward0(other=self?spacing) -> new:s,new:s"
],
"greater":[
"fmo|Tensor|1|nodiff -> new:b!"
],
"greater_":[
"m|Tensor|1|w:self -> same(self)"
],
"greater_equal":[
"fmo|Tensor|1|nodiff -> new:b!"
],
"greater_equal_":[
"m|Tensor|1|w:self -> same(self)"
],
"grid_sampler_2d":[
"fo||97|*0(grid,input) -> new:s"
],
"grid_sampler_3d":[
"fo||97|*0(grid,input) -> new:s"
],
"group_norm":[
"f||input:t num_groups:i weight:t=N bias:t=N eps:n=1e-05 cudnn_enabled:b=T|NativeGroupNormBackward0(input,weight) -> new:s"
],
"gru_cell":[
"f||68|AddmmBackward0(mat1=hx?w_hh,mat1=input?w_ih,mat2=w_hh?hx,mat2=w_ih?input) -> new:s"
],
"gt":[
"fmo|Scalar|3|nodiff -> new:b!",
"fmo|Tensor|1|nodiff -> new:b!"
],
"gt_":[
"m|Scalar|3|*0() w:self over -> same(self)",
"m|Tensor|1|*1() w:self over -> same(self)"
],
"hamming_window":[
"fo||32|nodiff factory -> new",
"fo|periodic|33|nodiff factory -> new",
"fo|periodic_alpha|window_length:i periodic:b alpha:n * opts|nodiff factory -> new",
"fo|periodic_alpha_beta|window_length:i periodic:b alpha:n beta:n * opts|nodiff factory -> new"
],
"hann_window":[
"fo||32|nodiff factory -> new",
"fo|periodic|33|nodiff factory -> new"
],
"hardshrink":[
"fmo||158|*0(self) -> new:s"
],
"hardtanh_":[
"f||self:t min_val:n=-1 max_val:n=1|*0() w:self c:self -> same(self)"
],
"hash_tensor":[
"fmo||self:t dim:v=? * keepdim:b=F mode:i=0|nodiff -> new:i!"
],
"heaviside":[
"fmo||201|nodiff -> new:s"
],
"heaviside_":[
"m||201|w:self nodiff -> same(self)"
],
"hinge_embedding_loss":[
"f||self:t target:t margin:n=1.0 reduction:i=?|d:self -> new:s"
],
"histc":[
"fmo||self:t bins:i=100 min:n=0 max:n=0|nodiff -> new:s!"
],
"histogram":[
"fmo|bins_tensor|self:t bins:t * weight:t=N density:b=F|nodiff -> hist=new:s,bin_edges=new:s",
"fmo|bin_ct|self:t bins:i=100 * range:il=N weight:t=N density:b=F|nodiff -> hist=new:s,bin_edges=new:s"
],
"histogramdd":[
"f||self:t bins:il range:il=N weight:t=N density:b=F|-> hist=new:s,bin_edges=list:s",
"f|TensorList_bins|self:t bins:tl range:il=N weight:t=N density:b=F|-> hist=new:s,bin_edges=same(bins)"
],
"hsplit":[
"fm|int|85|-> slices(self):s"
],
"hspmm":[
"fo||mat1:t mat2:t|nodiff -> new"
],
"hstack":[
"fo||22|-> new:s"
],
"hypot":[
"fmo||1|*0(other?other,self?self,result=r0) -> new:s"
],
"hypot_":[
"m||1|*0(other?other,result=r0) w:self c:self -> same(self)"
],
"i0":[
"fmo||0|*0(self) -> new:f"
],
"i0_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"igamma":[
"fmo||1|*0(other?other,self?other) -> new:s"
],
"igamma_":[
"m||1|*0(other?other) w:self c:other -> same(self)"
],
"igammac":[
"fmo||1|*0(other?other,self?other) -> new:s"
],
"igammac_":[
"m||1|*0(other?other) w:self c:other -> same(self)"
],
"imag":[
"f||0|-> view(self):s"
],
"index_add":[
"fmo||134|*0(index?source,source?source) d:self+source -> new:s"
],
"index_add_":[
"m||134|*0(index?source,source?source) d:self+source w:self -> same(self)"
],
"index_copy":[
"fmo||133|*0(index,source?source) d:self+source -> new:s"
],
"index_copy_":[
"m||133|*0(index,source?source) d:self+source w:self -> same(self)"
],
"index_fill":[
"fmo|int_Scalar|44|*0(index) d:self -> new:s",
"fmo|int_Tensor|139|*1(index) d:self+value -> new:s"
],
"index_fill_":[
"m|int_Scalar|44|*0(index) d:self w:self -> same(self)",
"m|int_Tensor|139|*1(index) d:self+value w:self -> same(self)"
],
"index_put":[
"fmo||156|*0(indices) d:self+values -> new:s"
],
"index_put_":[
"fm||156|*0(indices) d:self+values w:self -> same(self)"
],
"index_reduce":[
"fmo||135|*0(index,self,source,result=r0) d:self+source -> new:s"
],
"index_reduce_":[
"m||135|*0(index,source,result=r0) d:self+source w:self c:self+source -> same(self)"
],
"index_select":[
"fmo||self:t dim:i index:t|*0(index) d:self -> new:s"
],
"indices":[
"m||0|nodiff -> view(self)!"
],
"indices_copy":[
"fo||0|nodiff -> new!"
],
"inner":[
"fmo||1|DotBackward0(tensor=other?self,self?other) -> new:s"
],
"instance_norm":[
"f||input:t weight:t bias:t running_mean:t running_var:t use_input_stats:b momentum:n eps:n cudnn_enabled:b|NativeBatchNormBackward0(input) d:input+weight+bias w:running_mean+running_var -> new:s"
],
"int_repr":[
"fmo||0|nodiff -> new"
],
"inverse":[
"fmo||0|LinalgInvExBackward0(inverse=r0) -> new:s"
],
"is_coalesced":[
"m||0|nodiff -> other"
],
"is_pinned":[
"m||self:t device:o=N|nodiff -> other"
],
"is_same_size":[
"fm||1|nodiff -> other"
],
"is_set_to":[
"m||196|nodiff -> other"
],
"isclose":[
"fm||181|nodiff -> new:b!"
],
"isfinite":[
"fm||0|nodiff -> new:b!"
],
"isin":[
"fo|Tensor_Tensor|elements:t test_elements:t * assume_unique:b=F invert:b=F|nodiff -> new:b!",
"fo|Tensor_Scalar|elements:t test_element:n * assume_unique:b=F invert:b=F|nodiff -> new:b!",
"fo|Scalar_Tensor|element:n test_elements:t * assume_unique:b=F invert:b=F|nodiff -> new:b!"
],
"isinf":[
"fmo||0|nodiff -> new:b!"
],
"isnan":[
"fmo||0|nodiff -> new:b!"
],
"isneginf":[
"fmo||0|nodiff -> new:b!"
],
"isposinf":[
"fmo||0|nodiff -> new:b!"
],
"isreal":[
"fm||0|nodiff -> new:b!"
],
"istft":[
"fm||51|MulBackward0(other=window) -> new|win_length==N",
"fm||51|-> new:c|win_length!=N"
],
"item":[
"m||0|nodiff -> other"
],
"kaiser_window":[
"fo||32|nodiff factory -> new",
"fo|periodic|33|nodiff factory -> new",
"fo|beta|window_length:i periodic:b beta:n * opts|nodiff factory -> new"
],
"kl_div":[
"f||195|MulBackward0(other=self?target,self=target) -> new:s|log_target==F",
"f||195|-> new:s|log_target!=F"
],
"kron":[
"fmo||1|-> new:s"
],
"kthvalue":[
"fmo||self:t k:i dim:i=-1 keepdim:b=F|*0(indices=r1) -> values=new:s,indices=new:i!"
],
"layer_norm":[
"f||input:t normalized_shape:il weight:t=N bias:t=N eps:n=1e-05 cudnn_enable:b=T|NativeLayerNormBackward0(bias,input,weight) -> new:s"
],
"lcm":[
"fmo||1|nodiff -> new"
],
"lcm_":[
"fm||1|w:self nodiff -> same(self)"
],
"ldexp":[
"fmo|Tensor|1|*0(other?self,result=r0) -> new:f"
],
"ldexp_":[
"fm||1|*0(other?self,result=r0) w:self -> same(self)"
],
"le":[
"fmo|Scalar|3|nodiff -> new:b!",
"fmo|Tensor|1|nodiff -> new:b!"
],
"le_":[
"m|Scalar|3|*0() w:self over -> same(self)",
"m|Tensor|1|*1() w:self over -> same(self)"
],
"leaky_relu_":[
"f||self:t negative_slope:n=0.01|*1(result=r0) w:self -> same(self)"
],
"lerp":[
"fmo|Scalar|152|*0() -> new:s",
"fmo|Tensor|153|*1(end?weight,self?weight,weight) -> new:s"
],
"lerp_":[
"m|Scalar|152|*0() w:self -> same(self)",
"m|Tensor|153|*1(end?weight,weight) w:self c:weight -> same(self)"
],
"less":[
"fmo|Tensor|1|nodiff -> new:b!"
],
"less_":[
"m|Tensor|1|w:self -> same(self)"
],
"less_equal":[
"fmo|Tensor|1|nodiff -> new:b!"
],
"less_equal_":[
"m|Tensor|1|w:self -> same(self)"
],
"lgamma":[
"fmo||0|*0(self) -> new:f"
],
"lgamma_":[
"m||0|*0() w:self c:self -> same(self)"
],
"linalg_cholesky":[
"fo||self:t * upper:b=F|LinalgCholeskyExBackward0(L=r0) -> new:s"
],
"linalg_cholesky_ex":[
"fo||self:t * upper:b=F check_errors:b=F|*0(L=r0) -> L=new:s,info=new:i!"
],
"linalg_cross":[
"fo||self:t other:t * dim:i=-1|*0(other?self,self?other) -> new:s"
],
"linalg_det":[
"fo||66|*0(A,result=r0) -> new:s"
],
"linalg_diagonal":[
"f||A:t * offset:i=0 dim1:i=-2 dim2:i=-1|-> view(A):s"
],
"linalg_eigh":[
"fo||126|*0(eigenvalues=r0,eigenvectors=r1) -> eigenvalues=new:s,eigenvectors=new:s"
],
"linalg_eigvals":[
"fo||0|LinalgEigBackward0(eigenvalues=r0) -> new:c"
],
"linalg_eigvalsh":[
"fo||126|LinalgEighBackward0(eigenvalues=r0) -> new:s"
],
"linalg_householder_product":[
"fo||input:t tau:t|*0(input,tau,result=r0) -> new:s"
],
"linalg_inv":[
"fo||66|LinalgInvExBackward0(inverse=r0) -> new:s"
],
"linalg_inv_ex":[
"fo||A:t * check_errors:b=F|*0(inverse=r0) -> inverse=new:s,info=new:i!"
],
"linalg_ldl_factor":[
"fo||self:t * hermitian:b=F|-> LD=new:s,pivots=new:i!"
],
"linalg_ldl_factor_ex":[
"fo||self:t * hermitian:b=F check_errors:b=F|nodiff -> LD=new:s,pivots=new:i!,info=new:i!"
],
"linalg_ldl_solve":[
"fo||LD:t pivots:t B:t * hermitian:b=F|nodiff -> new:s"
],
"linalg_lu":[
"fo||94|*0(L=r1,P=r0,U=r2) -> P=new:s!,L=new:s,U=new:s"
],
"linalg_lu_factor":[
"fo||94|LinalgLuFactorExBackward0(LU=r0,pivots=r1) -> LU=new:s,pivots=new:i!"
],
"linalg_lu_factor_ex":[
"fo||A:t * pivot:b=T check_errors:b=F|*0(LU=r0,pivots=r1) -> LU=new:s,pivots=new:i!,info=new:i!"
],
"linalg_lu_solve":[
"fo||LU:t pivots:t B:t * left:b=T adjoint:b=F|*0(LU,pivots,result=r0) d:LU+B -> new:s"
],
"linalg_matmul":[
"fo||1|DotBackward0(~tensor=other?self,self?other) -> new:s"
],
"linalg_matrix_exp":[
"fo||0|*0(self) -> new"
],
"linalg_matrix_norm":[
"fo||175|AmaxBackward0(result=r0) -> new:s|ord==2",
"fo||175|AmaxBackward0(result=r0) LinalgVectorNormBackward0(~self) -> new:s|ord!=2",
"fo|str_ord|178|LinalgVectorNormBackward0(result=r0,self) -> new:s|ord==fro",
"fo|str_ord|178|-> new:s|ord!=fro"
],
"linalg_matrix_power":[
"fo||50|LinalgInvExBackward0(~inverse=r0) MmBackward0(~mat2=self) -> new:s"
],
"linalg_multi_dot":[
"fo||22|MmBackward0(mat2=tensors) -> new:s"
],
"linalg_norm":[
"fo||176|LinalgVectorNormBackward0(result=r0,~self) -> new:s|ord==2",
"fo||176|LinalgVectorNormBackward0(result=r0,~self) -> new:s|ord!=2",
"fo|ord_str|177|LinalgVectorNormBackward0(result=r0,self) -> new:s|ord==fro",
"fo|ord_str|177|-> new:s|ord!=fro"
],
"linalg_pinv":[
"fo|atol_rtol_tensor|self:t * atol:t=N rtol:t=N hermitian:b=F|*0(self,result=r0) d:self -> new:s",
"fo|atol_rtol_float|self:t * atol:n=N rtol:n=N hermitian:b=F|*0(result=r0,self) -> new:s",
"fo|rcond_tensor|self:t rcond:t hermitian:b=F|*0(result=r0,self) d:self -> new:s"
],
"linalg_qr":[
"fo||A:t mode:s=reduced|*0(Q=r0,R=r1) -> Q=new:s,R=new:s"
],
"linalg_slogdet":[
"fo||66|*0(A,sign=r0) -> sign=new:s,logabsdet=new:s"
],
"linalg_solve_ex":[
"fo||A:t B:t * left:b=T check_errors:b=F|*0(A,result=r0) -> result=new:s,info=new:i!"
],
"linalg_solve_triangular":[
"fo||self:t B:t * upper:b left:b=T unitriangular:b=F|*0(self,result=r0) -> new:s"
],
"linalg_svd":[
"fo||A:t full_matrices:b=T * driver:s=N|*0(U=r0,S=r1,Vh=r2) -> U=new:s,S=new:s,Vh=new:s"
],
"linalg_svdvals":[
"fo||A:t * driver:s=N|LinalgSvdBackward0(S=r0) -> new:s"
],
"linalg_tensorinv":[
"fo||self:t ind:i=2|LinalgInvExBackward0(inverse=r0) -> new:s"
],
"linalg_tensorsolve":[
"fo||180|LinalgSolveExBackward0(result=r0,A=self) -> new:s|dims==N",
"fo||180|LinalgSolveExBackward0(result=r0) -> new:s|dims!=N"
],
"linalg_vander":[
"f||x:t * N:i=N|CumprodBackward0(self=x) -> new:s"
],
"linalg_vecdot":[
"fo||x:t y:t * dim:i=-1|VdotBackward0(self=x?y,other=y?x) -> new:s"
],
"linalg_vector_norm":[
"fo||self:t ord:n=2 dim:il=N keepdim:b=F * dtype:o=N|*0(self,result=r0) -> new:s"
],
"linear":[
"fo||input:t weight:t bias:t=N|AddmmBackward0(mat1=input?weight,mat2=weight?input) -> new:s"
],
"linspace":[
"fo||start:n end:n steps:i * opts|nodiff factory -> new",
"fo|Tensor_Tensor|start:t end:t steps:i * opts|nodiff -> new",
"fo|Tensor_Scalar|start:t end:n steps:i * opts|nodiff -> new",
"fo|Scalar_Tensor|start:n end:t steps:i * opts|nodiff -> new"
],
"log":[
"fmo||0|*0(self) -> new:f"
],
"log10":[
"fmo||0|*0(self) -> new:f"
],
"log10_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"log1p":[
"fmo||0|*0(self) -> new:f"
],
"log1p_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"log2":[
"fmo||0|*0(self) -> new:f"
],
"log2_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"log_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"log_normal_":[
"m||self:t mean:n=1 std:n=2 * generator:o=N|*0() w:self over -> same(self)"
],
"log_sigmoid":[
"fo||0|*0(self) -> new:s"
],
"log_softmax":[
"fmo|int|79|*0(result=r0) -> new:s"
],
"logaddexp":[
"fmo||1|*0(other,self) -> new:s"
],
"logaddexp2":[
"fmo||1|*0(other,self) -> new:s"
],
"logcumsumexp":[
"fmo||17|*0(self,result=r0) -> new:s"
],
"logdet":[
"fm||0|LinalgSlogdetBackward0(A=self) -> new:s"
],
"logical_and":[
"fmo||1|nodiff -> new:b!"
],
"logical_and_":[
"m||1|w:self nodiff -> same(self)"
],
"logical_not":[
"fmo||0|nodiff -> new:b!"
],
"logical_not_":[
"m||0|w:self nodiff -> same(self)"
],
"logical_or":[
"fmo||1|nodiff -> new:b!"
],
"logical_or_":[
"m||1|w:self nodiff -> same(self)"
],
"logical_xor":[
"fmo||1|nodiff -> new:b!"
],
"logical_xor_":[
"m||1|w:self nodiff -> same(self)"
],
"logit":[
"fmo||80|*0(self) -> new:f"
],
"logit_":[
"fm||80|*0() w:self c:self -> same(self)"
],
"logspace":[
"fo||start:n end:n steps:i base:n=10.0 * opts|nodiff factory -> new",
"fo|Tensor_Tensor|start:t end:t steps:i base:n=10.0 * opts|nodiff -> new",
"fo|Tensor_Scalar|start:t end:n steps:i base:n=10.0 * opts|nodiff -> new",
"fo|Scalar_Tensor|start:n end:t steps:i base:n=10.0 * opts|nodiff -> new"
],
"logsumexp":[
"fmo||144|*0(self,result=r0) -> new:f"
],
"lstm_cell":[
"f||input:t hx:tl w_ih:t w_hh:t b_ih:t=N b_hh:t=N|AddmmBackward0(mat1=input?w_ih,mat2=w_hh?hx,mat2=w_ih?input) MulBackward0(other=hx) -> new:s,new:s"
],
"lt":[
"fmo|Scalar|3|nodiff -> new:b!",
"fmo|Tensor|1|nodiff -> new:b!"
],
"lt_":[
"m|Scalar|3|*0() w:self over -> same(self)",
"m|Tensor|1|*1() w:self over -> same(self)"
],
"lu_solve":[
"fmo||self:t LU_data:t LU_pivots:t|LinalgLuSolveBackward0(LU=LU_data,pivots=LU_pivots,result=r0) d:self+LU_data -> new:s"
],
"lu_unpack":[
"fo||LU_data:t LU_pivots:t unpack_data:b=T unpack_pivots:b=T|*0() d:LU_data -> P=new:s!,L=new:s,U=new:s"
],
"masked_fill":[
"fmo|Scalar|162|*0(mask) d:self -> new:s",
"fmo|Tensor|163|*1(mask) d:self+value -> new:s"
],
"masked_fill_":[
"m|Scalar|162|*0(mask) d:self w:self -> same(self)",
"m|Tensor|163|*1(mask) d:self+value w:self -> same(self)"
],
"masked_scatter":[
"fmo||161|*0(mask) d:self+source -> new:s"
],
"masked_scatter_":[
"m||161|*0(mask) d:self+source w:self -> same(self)"
],
"masked_select":[
"fmo||160|*0(mask,self) d:self -> new:s"
],
"matmul":[
"fmo||1|DotBackward0(~tensor=other?self,self?other) -> new:s"
],
"matrix_exp":[
"fm||0|LinalgMatrixExpBackward0(self) -> new:s"
],
"matrix_power":[
"fmo||50|LinalgInvExBackward0(~inverse=r0) MmBackward0(~mat2=self) -> new:s"
],
"max":[
"fmo|dim|25|*0(indices=r1) -> values=new,indices=new:i!",
"fmo||0|*1(self,result=r0) -> new",
"fmo|other|1|MaximumBackward0(other,self) -> new:s"
],
"maximum":[
"fmo||1|*0(other,self) -> new:s"
],
"mean":[
"fmo||78|*0() -> new:s",
"fmo|dim|145|*1() -> new:s"
],
"median":[
"fmo||0|*0(self,result=r0) -> new",
"fmo|dim|25|*1(indices=r1) -> values=new,indices=new:i!"
],
"min":[
"fmo|dim|25|*0(indices=r1) -> values=new,indices=new:i!",
"fmo||0|*1(self,result=r0) -> new",
"fmo|other|1|MinimumBackward0(other,self) -> new:s"
],
"minimum":[
"fmo||1|*0(other,self) -> new:s"
],
"mm":[
"fmo||165|*0(mat2?self,self?mat2) -> new:s",
"fo|dtype|166|nodiff -> new:s"
],
"mode":[
"fmo||self:t dim:i=-1 keepdim:b=F|*0(indices=r1) -> values=new:s,indices=new:i!"
],
"moveaxis":[
"fm|intlist|191|-> view(self):s"
],
"movedim":[
"fm|intlist|191|-> view(self):s"
],
"msort":[
"fmo||0|-> new:s"
],
"mul":[
"fmo|Tensor|1|*0(other?self,self?other) -> new:s"
],
"mul_":[
"m|Tensor|1|*0(other?self) w:self c:other -> same(self)"
],
"multinomial":[
"fmo||self:t num_samples:i replacement:b=F * generator:o=N|nodiff -> new:i!"
],
"multiply":[
"fmo|Tensor|1|MulBackward0(other?self,self?other) -> new:s"
],
"multiply_":[
"m|Tensor|1|MulBackward0(other?self) w:self c:other -> same(self)"
],
"mv":[
"fmo||self:t vec:t|*0(self?vec,vec?self) -> new:s"
],
"mvlgamma":[
"fmo||83|*0(self) -> new:f"
],
"mvlgamma_":[
"m||83|*0() w:self c:self -> same(self)"
],
"nan_to_num":[
"fmo||173|*0(self) -> new:s"
],
"nan_to_num_":[
"fm||173|*0() w:self c:self -> same(self)"
],
"nanmean":[
"fmo||148|NansumBackward0(self) -> new:s"
],
"nanmedian":[
"fmo||0|*0(self,result=r0) -> new",
"fmo|dim|25|*1(indices=r1) -> values=new,indices=new:i!"
],
"nanquantile":[
"fmo||188|-> new:s",
"fmo|scalar|187|-> new:s"
],
"nansum":[
"fmo||148|*0(self) -> new:s"
],
"narrow":[
"fm||140|-> maybe(self):s",
"fm|Tensor|self:t dim:i start:t length:i|d:self -> maybe(self):s"
],
"narrow_copy":[
"fmo||140|*0() -> new:s"
],
"native_batch_norm":[
"fo||input:t weight:t bias:t running_mean:t running_var:t training:b momentum:n eps:n|*0(input,running_mean,running_var,weight,result1=r1,result2=r2) d:input+weight+bias -> new:s,new:s,new:s"
],
"native_dropout":[
"fo||9|*0(result1=r1) -> new,new"
],
"native_group_norm":[
"fo||input:t weight:t bias:t N:i C:i HxW:i group:i eps:n|*0(input,weight,result1=r1,result2=r2) -> new:s,new:s,new:s"
],
"native_layer_norm":[
"fo||input:t normalized_shape:il weight:t bias:t eps:n|*0(bias,input,weight,result1=r1,result2=r2) -> new:s,new:s,new:s"
],
"native_norm":[
"fo||84|nodiff -> new",
"fo|ScalarOpt_dim_dtype|self:t p:n dim:il keepdim:b dtype:o|nodiff -> new"
],
"ne":[
"fmo|Scalar|3|nodiff -> new:b!",
"fmo|Tensor|1|nodiff -> new:b!"
],
"ne_":[
"m|Scalar|3|*0() w:self over -> same(self)",
"m|Tensor|1|*1() w:self over -> same(self)"
],
"neg":[
"fmo||0|*0() -> new:s"
],
"neg_":[
"fm||0|*0() w:self -> same(self)"
],
"negative":[
"fmo||0|-> new:s"
],
"negative_":[
"fm||0|w:self -> same(self)"
],
"new_empty":[
"m||87|nodiff factory -> new:s"
],
"new_empty_strided":[
"m||self:t size:il stride:il * opts|nodiff factory -> new:s"
],
"new_full":[
"m||self:t size:il fill_value:n * opts|nodiff factory -> new:s"
],
"new_ones":[
"m||87|nodiff factory -> new:s"
],
"new_zeros":[
"m||87|nodiff factory -> new:s"
],
"nextafter":[
"fmo||1|*0(other?self,self?self) -> new:s"
],
"nextafter_":[
"m||1|*0(other?self) w:self c:self -> same(self)"
],
"nonzero":[
"fmo||0|nodiff -> new:i!"
],
"nonzero_static":[
"fmo||self:t * size:i fill_value:i=-1|nodiff -> new:i!"
],
"normal":[
"fo|Tensor_float|mean:t std:n=1 * generator:o=N|*1() -> new:s",
"fo|float_Tensor|mean:n std:t * generator:o=N|*2() -> new:s",
"fo|Tensor_Tensor|mean:t std:t * generator:o=N|*3() -> new:s",
"fo|float_float|mean:n std:n size:il * generator:o=N opts|nodiff factory -> new:s"
],
"normal_":[
"m||self:t mean:n=0 std:n=1 * generator:o=N|*0() w:self over -> same(self)"
],
"not_equal":[
"fmo|Tensor|1|nodiff -> new:b!"
],
"not_equal_":[
"m|Tensor|1|w:self -> same(self)"
],
"one_hot":[
"f||self:t num_classes:i=-1|nodiff -> new:i!"
],
"ones":[
"fo||63|nodiff factory -> new"
],
"ones_like":[
"fo||28|nodiff factory -> new:s"
],
"orgqr":[
"fmo||self:t input2:t|LinalgHouseholderProductBackward0(tau=input2,result=r0,input=self) -> new:s"
],
"ormqr":[
"fmo||self:t input2:t input3:t left:b=T transpose:b=F|*0(input2,input3,self,result=r0) -> new:s"
],
"outer":[
"fmo||203|MulBackward0(self?vec2,other=vec2?self) -> new:s"
],
"pairwise_distance":[
"f||x1:t x2:t p:n=2 eps:n=1e-06 keepdim:b=F|NormBackward1(result=r0) -> new:s"
],
"pdist":[
"f||84|*0(~result=r0,self) -> new:s|p==2",
"f||84|*0(result=r0,self) -> new:s|p!=2"
],
"permute":[
"fm||48|*0() -> view(self):s"
],
"permute_copy":[
"fo||48|PermuteBackward0_copy() -> new:s"
],
"pinverse":[
"fm||self:t rcond:n=1e-15|LinalgPinvBackward0(result=r0,self) -> new:s"
],
"pixel_shuffle":[
"fo||self:t upscale_factor:i|*0() -> new:s"
],
"pixel_unshuffle":[
"fo||self:t downscale_factor:i|*0() -> new:s"
],
"poisson":[
"fo||self:t generator:o=N|*0() -> new"
],
"polar":[
"fo||abs:t angle:t|*0(result=r0) -> new:c"
],
"polygamma":[
"fo||n:i self:t|*0(self) -> new:f",
"m||50|*0(self) -> new:f"
],
"polygamma_":[
"m||50|*1() w:self c:self -> same(self)"
],
"positive":[
"fm||0|-> same(self)"
],
"pow":[
"fmo|Tensor_Tensor|49|*1(exponent,self,result=r0) -> new:s",
"fo|Scalar|self:n exponent:t|*2(exponent,result=r0) -> new:s",
"fmo|Tensor_Scalar|81|*0(self) -> new:s"
],
"pow_":[
"m|Scalar|81|*0() w:self c:self -> same(self)",
"m|Tensor|49|*1(exponent,result=r0) w:self c:self+exponent -> same(self)"
],
"prelu":[
"fm||self:t weight:t|PreluKernelBackward0(self,weight) -> new:s"
],
"prod":[
"fmo||78|*0(self,result=r0) -> new:s",
"fmo|dim_int|self:t dim:i keepdim:b=F * dtype:o=N|*1(self,result=r0) -> new:s"
],
"put":[
"fmo||154|*0(index,source?source) d:self+source -> new:s"
],
"put_":[
"m||154|*0(index,source?source) d:self+source w:self -> same(self)"
],
"py:torch.atleast_1d":[
"f||27|-> unknown:s"
],
"py:torch.atleast_2d":[
"f||27|-> unknown:s"
],
"py:torch.atleast_3d":[
"f||27|-> unknown:s"
],
"py:torch.block_diag":[
"f||27|-> new:s"
],
"py:torch.broadcast_tensors":[
"f||27|-> slices(tensors):s"
],
"py:torch.cartesian_prod":[
"f||27|-> maybe(tensors):s"
],
"py:torch.cdist":[
"f||91|CdistBackward0(result=r0,x1,x2) -> new:s|p==2&compute_mode==donot_use_mm_for_euclid_dist",
"f||91|EuclideanDistBackward0(result=r0,~x1,~x2) -> new:s|p==2&compute_mode!=donot_use_mm_for_euclid_dist",
"f||91|CdistBackward0(result=r0,x1,x2) -> new:s|p!=2"
],
"py:torch.chain_matmul":[
"f||matrices:tv * out:t=N|MmBackward0(self=matrices?others) -> new:s"
],
"py:torch.einsum":[
"f||equation:x operands:tv|BmmBackward0(~self=operands?others) -> maybe(operands):s"
],
"py:torch.lu":[
"f||95|LinalgLuFactorExBackward0(LU=r0,pivots=r1) -> new:s,new:i!|get_infos==F",
"f||95|LinalgLuFactorExBackward0(LU=r0,pivots=r1) -> LU=new:s,pivots=new:i!,info=new:i!|get_infos!=F"
],
"py:torch.meshgrid":[
"f||tensors:tv * indexing:s=N|-> slices(tensors):s"
],
"py:torch.nn.functional.adaptive_avg_pool2d":[
"f||103|AdaptiveAvgPool2DBackward0(self=input) -> new:s"
],
"py:torch.nn.functional.adaptive_avg_pool3d":[
"f||103|AdaptiveAvgPool3DBackward0(~self=input) -> new:s"
],
"py:torch.nn.functional.adaptive_max_pool1d":[
"f||23|AdaptiveMaxPool2DBackward0(self=input) -> new:s|return_indices==F",
"f||23|AdaptiveMaxPool2DBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.adaptive_max_pool2d":[
"f||23|AdaptiveMaxPool2DBackward0(self=input) -> new:s|return_indices==F",
"f||23|AdaptiveMaxPool2DBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.adaptive_max_pool3d":[
"f||23|AdaptiveMaxPool3DBackward0(self=input) -> new:s|return_indices==F",
"f||23|AdaptiveMaxPool3DBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.affine_grid":[
"f||theta:t size:x align_corners:b=N|-> new:s"
],
"py:torch.nn.functional.alpha_dropout":[
"f||14|-> same(input)|training==F",
"f||14|-> same(input)|training!=F&inplace==F&p==0",
"f||14|-> new:s|training!=F&inplace==F&p!=0",
"f||14|-> same(input)|training!=F&inplace!=F&p==0",
"f||14|w:input -> same(input)|training!=F&inplace!=F&p!=0"
],
"py:torch.nn.functional.batch_norm":[
"f||72|NativeBatchNormBackward0(input,running_mean,running_var,weight) d:input+weight+bias -> new:s|training==F",
"f||72|NativeBatchNormBackward0(input) -> new:s|training!=F&bias==N",
"f||72|NativeBatchNormBackward0(input,running_mean,running_var,weight) d:input+weight+bias w!:running_mean+running_var -> new:s|training!=F&bias!=N"
],
"py:torch.nn.functional.binary_cross_entropy":[
"f||111|BinaryCrossEntropyBackward0(self=input,target,weight) d:input+target -> new:s"
],
"py:torch.nn.functional.binary_cross_entropy_with_logits":[
"f||input:t target:t weight:t=N size_average:b=N reduce:b=N reduction:s=mean pos_weight:t=N|BinaryCrossEntropyWithLogitsBackward0(self=input,pos_weight,target,weight) d:input+target -> new:s"
],
"py:torch.nn.functional.celu":[
"f||35|CeluBackward0(self=input) -> new:s|inplace==F",
"f||35|CeluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.cosine_embedding_loss":[
"f||96|MulBackward0(other=input1,other=input2) d:input1+input2 -> new:s"
],
"py:torch.nn.functional.cross_entropy":[
"f||input:t target:t weight:t=N size_average:b=N ignore_index:i=-100 reduce:b=N reduction:s=mean label_smoothing:n=0|NllLossBackward0(target?input,weight?input+target) -> new:s"
],
"py:torch.nn.functional.ctc_loss":[
"f||75|CtcLossBackward0(log_probs,result0=r0,targets) d:log_probs -> new:s|reduction==none&zero_infinity==F",
"f||75|CtcLossBackward0(log_probs,targets) d:log_probs -> new:s|reduction==none&zero_infinity!=F",
"f||75|CtcLossBackward0(log_probs,targets) d:log_probs -> new:s|reduction!=none"
],
"py:torch.nn.functional.dropout":[
"f||4|-> same(input)|training==F",
"f||4|-> same(input)|training!=F&inplace==F&p==0",
"f||4|-> new:s|training!=F&inplace==F&p!=0",
"f||4|-> same(input)|training!=F&inplace!=F&p==0",
"f||4|w:input -> same(input)|training!=F&inplace!=F&p!=0"
],
"py:torch.nn.functional.dropout1d":[
"f||4|-> same(input)|p==0",
"f||4|-> same(input)|p!=0&training==F",
"f||4|-> new:s|p!=0&training!=F&inplace==F",
"f||4|w:input -> same(input)|p!=0&training!=F&inplace!=F"
],
"py:torch.nn.functional.dropout2d":[
"f||4|-> same(input)|training==F",
"f||4|-> same(input)|training!=F&inplace==F&p==0",
"f||4|-> new:s|training!=F&inplace==F&p!=0",
"f||4|-> same(input)|training!=F&inplace!=F&p==0",
"f||4|w:input -> same(input)|training!=F&inplace!=F&p!=0"
],
"py:torch.nn.functional.dropout3d":[
"f||4|-> maybe(input):s|inplace==F&training==F",
"f||4|-> maybe(input):s|inplace==F&training!=F&p==0",
"f||4|-> new:s|inplace==F&training!=F&p!=0",
"f||4|w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.elu":[
"f||35|EluBackward0(self=input) -> new:s|inplace==F",
"f||35|EluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.embedding":[
"f||114|EmbeddingBackward0(indices=input) d:weight -> new:s|max_norm==N",
"f||114|EmbeddingBackward0(indices=input) d:weight w:weight -> new:s|max_norm!=N"
],
"py:torch.nn.functional.embedding_bag":[
"f||41|EmbeddingBagBackward0(offsets,indices=weight) d:input -> new:s|per_sample_weights==N&max_norm==N",
"f||41|EmbeddingBagBackward0(offsets,indices=weight) d:input w:input -> new:s|per_sample_weights==N&max_norm!=N",
"f||41|EmbeddingBagBackward0(weight=input?per_sample_weights,offsets,per_sample_weights,indices=weight) d:input+per_sample_weights -> new:s|per_sample_weights!=N&max_norm==N",
"f||41|EmbeddingBagBackward0(weight=input?per_sample_weights,offsets,per_sample_weights,indices=weight) d:input+per_sample_weights w:input -> new:s|per_sample_weights!=N&max_norm!=N"
],
"py:torch.nn.functional.feature_alpha_dropout":[
"f||14|-> same(input)|training==F",
"f||14|-> same(input)|training!=F&inplace==F&p==0",
"f||14|-> new:s|training!=F&inplace==F&p!=0",
"f||14|-> same(input)|training!=F&inplace!=F&p==0",
"f||14|w:input -> same(input)|training!=F&inplace!=F&p!=0"
],
"py:torch.nn.functional.fold":[
"f||input:t output_size:x kernel_size:x dilation:x=1 padding:x=0 stride:x=1|-> new:s"
],
"py:torch.nn.functional.fractional_max_pool2d":[
"f||36|FractionalMaxPool2DBackward0(self=input) -> new:s|return_indices==F",
"f||36|FractionalMaxPool2DBackward0(self=input,result1=r1) d:input -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.fractional_max_pool3d":[
"f||36|FractionalMaxPool3DBackward0(self=input) -> new:s|return_indices==F",
"f||36|FractionalMaxPool3DBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.gaussian_nll_loss":[
"f||input:t target:t var:t full:b=F eps:n=1e-06 reduction:s=mean|-> new:s"
],
"py:torch.nn.functional.glu":[
"f||input:t dim:i=-1|GluBackward0(self=input) -> new:s"
],
"py:torch.nn.functional.grid_sample":[
"f||input:t grid:t mode:s=bilinear padding_mode:s=zeros align_corners:b=N|GridSampler2DBackward0(grid,input) -> new:s"
],
"py:torch.nn.functional.group_norm":[
"f||input:t num_groups:i weight:t=N bias:t=N eps:n=1e-05|NativeGroupNormBackward0(input,weight) -> new:s"
],
"py:torch.nn.functional.gumbel_softmax":[
"f||115|SoftmaxBackward0(result=r0) -> new:s|hard==F",
"f||115|-> new:s|hard!=F"
],
"py:torch.nn.functional.hardsigmoid":[
"f||7|HardsigmoidBackward0(self=input) -> new:s|inplace==F",
"f||7|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.hardswish":[
"f||7|HardswishBackward0(self=input) -> new:s|inplace==F",
"f||7|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.hardtanh":[
"f||100|HardtanhBackward0(self=input) -> new:s|inplace==F",
"f||100|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.hinge_embedding_loss":[
"f||input:t target:t margin:n=1 size_average:b=N reduce:b=N reduction:s=mean|d:input -> new:s"
],
"py:torch.nn.functional.huber_loss":[
"f||input:t target:t reduction:s=mean delta:n=1 weight:t=N|HuberLossBackward0(self=input,target) -> new:s"
],
"py:torch.nn.functional.instance_norm":[
"f||105|NativeBatchNormBackward0(input) -> new:s|running_mean==N",
"f||105|NativeBatchNormBackward0(input) d:input+weight+bias w:running_mean+running_var -> new:s|running_mean!=N"
],
"py:torch.nn.functional.interpolate":[
"f||107|AdaptiveAvgPool2DBackward0(self=input) -> new:s|mode==area",
"f||107|-> new:s|mode!=area"
],
"py:torch.nn.functional.kl_div":[
"f||109|MulBackward0(other=input?target,self=target) -> new:s|log_target==F",
"f||109|-> new:s|log_target!=F"
],
"py:torch.nn.functional.l1_loss":[
"f||110|-> new:s"
],
"py:torch.nn.functional.layer_norm":[
"f||input:t normalized_shape:il weight:t=N bias:t=N eps:n=1e-05|NativeLayerNormBackward0(bias,input,weight) -> new:s"
],
"py:torch.nn.functional.leaky_relu":[
"f||102|LeakyReluBackward0(self=input) -> new:s|inplace==F",
"f||102|LeakyReluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.linear_cross_entropy":[
"f||input:t linear_weight:t target:t * linear_bias:t=N weight:t=N reduction:s=mean ignore_index:i=N label_smoothing:n=0 options:x=N|GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_no_reduction_defaultBackward(~saved_tensors=linear_bias?input+linear_weight+linear_bias+weight) MmBackward0(~self=input?linear_weight+input+weight+linear_bias,~mat2=linear_weight?input+linear_weight+weight+linear_bias) NllLossBackward0(~target?input+linear_weight+linear_bias+weight,~weight) -> new:s"
],
"py:torch.nn.functional.local_response_norm":[
"f||input:t size:x alpha:n=0.0001 beta:n=0.75 k:n=1|DivBackward0(self=input) -> new:s"
],
"py:torch.nn.functional.log_softmax":[
"f||67|LogSoftmaxBackward0(result=r0) -> new:s"
],
"py:torch.nn.functional.margin_ranking_loss":[
"f||96|-> new:s"
],
"py:torch.nn.functional.max_pool1d":[
"f||70|MaxPool2DWithIndicesBackward0(self=input) -> new:s|return_indices==F",
"f||70|MaxPool2DWithIndicesBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.max_pool2d":[
"f||70|MaxPool2DWithIndicesBackward0(self=input,result1=r1) -> new:s,new:i!"
],
"py:torch.nn.functional.max_pool3d":[
"f||98|MaxPool3DWithIndicesBackward0(self=input) -> new:s|return_indices==F",
"f||98|MaxPool3DWithIndicesBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"py:torch.nn.functional.max_unpool1d":[
"f||69|MaxUnpool2DBackward0(indices) d:input -> new:s"
],
"py:torch.nn.functional.max_unpool2d":[
"f||69|MaxUnpool2DBackward0(indices) d:input -> new:s"
],
"py:torch.nn.functional.max_unpool3d":[
"f||69|MaxUnpool3DBackward0(indices) d:input -> new:s"
],
"py:torch.nn.functional.mish":[
"f||7|MishBackward0(self=input) -> new:s|inplace==F",
"f||7|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.mse_loss":[
"f||110|MseLossBackward0(self=input,target) -> new:s"
],
"py:torch.nn.functional.multi_head_attention_forward":[
"f||24|AddmmBackward0(mat2=k_proj_weight?key,mat1=key?k_proj_weight,mat2=out_proj_weight?query+key+value+in_proj_bias+bias_k+bias_v+q_proj_weight+k_proj_weight+v_proj_weight,mat2=q_proj_weight?query,mat1=query?q_proj_weight,mat2=v_proj_weight?value,mat1=value?v_proj_weight) -> new:s,new:s|in_proj_weight==N&attn_mask==N",
"f||24|AddmmBackward0(mat2=k_proj_weight?key,mat1=key?k_proj_weight,mat2=out_proj_weight?query+key+value+in_proj_bias+bias_k+bias_v+attn_mask+q_proj_weight+k_proj_weight+v_proj_weight,mat2=q_proj_weight?query,mat1=query?q_proj_weight,mat2=v_proj_weight?value,mat1=value?v_proj_weight) -> new:s,new:s|in_proj_weight==N&attn_mask!=N",
"f||24|AddmmBackward0(mat2=in_proj_weight?query+key+value,mat1=key?in_proj_weight,mat2=out_proj_weight?query+key+value+in_proj_weight+in_proj_bias,mat1=query?in_proj_weight,mat1=value?in_proj_weight) -> new:s,other|in_proj_weight!=N&attn_mask==N&bias_k==N&need_weights==F",
"f||24|AddmmBackward0(mat2=in_proj_weight?query+key+value,mat1=key?in_proj_weight,mat2=out_proj_weight?query+key+value+in_proj_weight+in_proj_bias,mat1=query?in_proj_weight,mat1=value?in_proj_weight) -> new:s,new:s|in_proj_weight!=N&attn_mask==N&bias_k==N&need_weights!=F",
"f||24|AddmmBackward0(mat2=in_proj_weight?query+key+value,mat1=key?in_proj_weight,mat2=out_proj_weight?query+key+value+in_proj_weight+in_proj_bias+bias_k+bias_v,mat1=query?in_proj_weight,mat1=value?in_proj_weight) -> new:s,new:s|in_proj_weight!=N&attn_mask==N&bias_k!=N",
"f||24|AddmmBackward0(mat2=in_proj_weight?query+key+value,mat1=key?in_proj_weight,mat2=out_proj_weight?query+key+value+in_proj_weight+in_proj_bias+bias_k+bias_v+attn_mask,mat1=query?in_proj_weight,mat1=value?in_proj_weight) -> new:s,new:s|in_proj_weight!=N&attn_mask!=N"
],
"py:torch.nn.functional.multi_margin_loss":[
"f||input:t target:t p:x=1 margin:n=1 weight:t=N size_average:b=N reduce:b=N reduction:s=mean|MultiMarginLossBackward0(self=input,target,weight) d:input -> new:s"
],
"py:torch.nn.functional.multilabel_margin_loss":[
"f||108|MultilabelMarginLossBackward0(self=input,target) d:input -> new:s"
],
"py:torch.nn.functional.multilabel_soft_margin_loss":[
"f||111|LogSigmoidBackward0(self=input?input) MulBackward0(self=target?input,other=weight?input+target) -> new:s"
],
"py:torch.nn.functional.nll_loss":[
"f||input:t target:t weight:t=N size_average:b=N ignore_index:i=-100 reduce:b=N reduction:s=mean|NllLossBackward0(self=input,target,weight) d:input -> new:s"
],
"py:torch.nn.functional.normalize":[
"f||input:t p:x=2 dim:i=1 eps:n=1e-12 out:t=N|DivBackward0(self=input) -> new:s"
],
"py:torch.nn.functional.pad":[
"f||71|-> new:s|mode==constant",
"f||71|-> new:s|mode!=constant&mode==circular",
"f||71|ReflectionPad1DBackward0(self=input) -> new:s|mode!=constant&mode!=circular"
],
"py:torch.nn.functional.poisson_nll_loss":[
"f||40|MulBackward0(self=target?input) -> new:s|full==F&log_input==F",
"f||40|MulBackward0(other=input?target,self=target?input) -> new:s|full==F&log_input!=F",
"f||40|MulBackward0(self=target) -> new:s|full!=F&log_input==F",
"f||40|MulBackward0(other=input?target,self=target) -> new:s|full!=F&log_input!=F"
],
"py:torch.nn.functional.relu":[
"f||7|ReluBackward0(result=r0) -> new:s|inplace==F",
"f||7|ReluBackward0(result=r0) w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.relu6":[
"f||7|HardtanhBackward0(self=input) -> new:s|inplace==F",
"f||7|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.rms_norm":[
"f||37|MulBackward0(self=input) -> new:s|weight==N",
"f||37|MulBackward0(self=input?input,other=weight?input) -> new:s|weight!=N"
],
"py:torch.nn.functional.rrelu":[
"f||99|RreluWithNoiseBackward0(self=input) -> new:s|inplace==F",
"f||99|RreluWithNoiseBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.selu":[
"f||7|EluBackward0(self=input) -> new:s|inplace==F",
"f||7|EluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.sigmoid":[
"f||34|SigmoidBackward0(result=r0) -> new:s"
],
"py:torch.nn.functional.silu":[
"f||7|SiluBackward0(self=input) -> new:s|inplace==F",
"f||7|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.smooth_l1_loss":[
"f||input:t target:t size_average:b=N reduce:b=N reduction:s=mean beta:n=1|SmoothL1LossBackward0(~self=input,~target) -> new:s"
],
"py:torch.nn.functional.soft_margin_loss":[
"f||108|SoftMarginLossBackward0(self=input,target) d:input -> new:s"
],
"py:torch.nn.functional.softmax":[
"f||67|SoftmaxBackward0(result=r0) -> new:s"
],
"py:torch.nn.functional.softmin":[
"f||67|SoftmaxBackward0(result=r0) -> new:s"
],
"py:torch.nn.functional.softsign":[
"f||34|DivBackward0(self=input) -> new:s"
],
"py:torch.nn.functional.tanh":[
"f||34|TanhBackward0(result=r0) -> new:s"
],
"py:torch.nn.functional.tanhshrink":[
"f||34|-> new:s"
],
"py:torch.nn.functional.threshold":[
"f||112|ThresholdBackward0(self=input) -> new:s|inplace==F",
"f||112|w:input c:input -> same(input)|inplace!=F"
],
"py:torch.nn.functional.triplet_margin_loss":[
"f||anchor:t positive:t negative:t margin:n=1 p:x=2 eps:n=1e-06 swap:b=F size_average:b=N reduce:b=N reduction:s=mean|-> new:s"
],
"py:torch.nn.functional.triplet_margin_with_distance_loss":[
"f||anchor:t positive:t negative:t * distance_function:t=N margin:n=1 swap:b=F reduction:s=mean|-> new:s"
],
"py:torch.nn.functional.unfold":[
"f||input:t kernel_size:x dilation:x=1 padding:x=0 stride:x=1|-> new:s"
],
"py:torch.nn.functional.upsample":[
"f||input:t size:x=N scale_factor:x=N mode:s=nearest align_corners:x=N|-> new:s"
],
"py:torch.nn.functional.upsample_bilinear":[
"f||106|-> new:s"
],
"py:torch.nn.functional.upsample_nearest":[
"f||106|-> new:s"
],
"py:torch.nn.init.constant_":[
"f||tensor:t val:n|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.dirac_":[
"f||tensor:t groups:i=1|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.eye_":[
"f||89|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.kaiming_normal_":[
"f||215|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.kaiming_uniform_":[
"f||215|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.normal":[
"f||args:tv|w:args nograd over -> same(args)"
],
"py:torch.nn.init.normal_":[
"f||tensor:t mean:n=0 std:n=1 generator:x=N|d:tensor w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.ones_":[
"f||89|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.orthogonal_":[
"f||90|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.sparse_":[
"f||tensor:t sparsity:n std:n=0.01 generator:x=N|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.trunc_normal_":[
"f||tensor:t mean:n=0 std:n=1 a:n=-2 b:n=2 generator:x=N|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.uniform_":[
"f||tensor:t a:n=0 b:n=1 generator:x=N|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.xavier_normal_":[
"f||90|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.xavier_uniform_":[
"f||90|w:tensor nograd over -> same(tensor)"
],
"py:torch.nn.init.zeros_":[
"f||89|w:tensor nograd over -> same(tensor)"
],
"py:torch.norm":[
"f||104|-> new:s|p==nuc",
"f||104|LinalgVectorNormBackward0(self=input,result=r0) -> new:s|p!=nuc"
],
"py:torch.split":[
"f||tensor:t split_size_or_sections:x dim:i=0|-> views(tensor):s"
],
"py:torch.stft":[
"f||101|ReflectionPad1DBackward0(self=input) -> new|window==N",
"f||101|MulBackward0(other=window?input) ReflectionPad1DBackward0(self=input?input) -> new:c|window!=N"
],
"py:torch.tensordot":[
"f||a:x b:x dims:x=2 out:t=N|MmBackward0(self=a?b,~mat2=b?a) -> new:s"
],
"py:torch.unique":[
"f||39|-> new:s|return_counts==F&return_inverse==F",
"f||39|-> new:s,new:i!|return_counts==F&return_inverse!=F",
"f||39|-> new:s,new:i!|return_counts!=F&return_inverse==F",
"f||39|-> new:s,new:i!,new:i!|return_counts!=F&return_inverse!=F"
],
"py:torch.unique_consecutive":[
"f||38|-> new:s|return_counts==F&return_inverse==F",
"f||38|-> new:s,new:i!|return_counts==F&return_inverse!=F",
"f||38|-> new:s,new:i!|return_counts!=F&return_inverse==F",
"f||38|-> new:s,new:i!,new:i!|return_counts!=F&return_inverse!=F"
],
"py:torch.unravel_index":[
"f||indices:t shape:i|nodiff -> list"
],
"pym:istft":[
"m||51|MulBackward0(other=window) -> new|win_length==N",
"m||51|-> new:c|win_length!=N"
],
"pym:lu":[
"m||186|LinalgLuFactorExBackward0(LU=r0,pivots=r1) -> new:s,new:i!|get_infos==F",
"m||186|LinalgLuFactorExBackward0(LU=r0,pivots=r1) -> new:s,new:i!,new:i!|get_infos!=F"
],
"pym:norm":[
"m||185|-> new:s|p==nuc",
"m||185|LinalgVectorNormBackward0(result=r0,self) -> new:s|p!=nuc"
],
"pym:split":[
"m||self:t split_size:x dim:x=0|-> views(self):s"
],
"pym:stft":[
"m||172|ReflectionPad1DBackward0(self) -> new|window==N",
"m||172|MulBackward0(other=window?self) ReflectionPad1DBackward0(self?self) -> new:c|window!=N"
],
"pym:unflatten":[
"m||self:t dim:x sizes:x|-> view(self):s"
],
"pym:unique":[
"m||55|-> new:s|return_counts==F&return_inverse==F",
"m||55|-> new:s,new:i!|return_counts==F&return_inverse!=F",
"m||55|-> new:s,new:i!|return_counts!=F&return_inverse==F",
"m||55|-> new:s,new:i!,new:i!|return_counts!=F&return_inverse!=F"
],
"pym:unique_consecutive":[
"m||53|-> new:s|return_counts==F&return_inverse==F",
"m||53|-> new:s,new:i!|return_counts==F&return_inverse!=F",
"m||53|-> new:s,new:i!|return_counts!=F&return_inverse==F",
"m||53|-> new:s,new:i!,new:i!|return_counts!=F&return_inverse!=F"
],
"q_per_channel_axis":[
"fm||0|nodiff -> other"
],
"q_per_channel_scales":[
"fmo||0|nodiff -> new"
],
"q_per_channel_zero_points":[
"fmo||0|nodiff -> new"
],
"q_scale":[
"fm||0|nodiff -> other"
],
"q_zero_point":[
"fm||0|nodiff -> other"
],
"qr":[
"fmo||self:t some:b=T|LinalgQrBackward0(Q=r0,R=r1) -> Q=new:s,R=new:s"
],
"qscheme":[
"m||0|nodiff -> other"
],
"quantile":[
"fmo||188|-> new:s",
"fmo|scalar|187|-> new:s"
],
"quantize_per_channel":[
"fo||self:t scales:t zero_points:t axis:i dtype:o|nodiff -> new"
],
"quantize_per_tensor":[
"fo||self:t scale:n zero_point:i dtype:o|nodiff -> new",
"fo|tensor_qparams|self:t scale:t zero_point:t dtype:o|nodiff -> new",
"fo|tensors|tensors:tl scales:t zero_points:t dtype:o|nodiff -> list"
],
"quantize_per_tensor_dynamic":[
"fo||self:t dtype:o reduce_range:b|nodiff -> new"
],
"rad2deg":[
"fmo||0|*0() -> new:f"
],
"rad2deg_":[
"fm||0|*0() w:self -> same(self)"
],
"rand":[
"fo||63|nodiff factory -> new",
"fo|generator|214|nodiff factory -> new"
],
"rand_like":[
"fo||28|nodiff factory -> new:s",
"fo|generator|120|nodiff factory -> new:s"
],
"randint":[
"fo||high:i size:il * opts|nodiff factory -> new:i!",
"fo|generator|high:i size:il * generator:o opts|nodiff factory -> new:i!",
"fo|low|low:i high:i size:il * opts|nodiff factory -> new:i!",
"fo|low_generator|low:i high:i size:il * generator:o opts|nodiff factory -> new:i!"
],
"randint_like":[
"fo||self:t high:i * memory_format:o=N opts|nodiff factory -> new:s",
"fo|generator|self:t high:i * generator:o memory_format:o=N opts|nodiff factory -> new:s",
"fo|Tensor|self:t high:t * memory_format:o=N opts|nodiff factory -> new:s",
"fo|Tensor_generator|self:t high:t * generator:o memory_format:o=N opts|nodiff factory -> new:s",
"fo|low_dtype|self:t low:i high:i * memory_format:o=N opts|nodiff factory -> new:s",
"fo|low_generator_dtype|self:t low:i high:i * generator:o memory_format:o=N opts|nodiff factory -> new:s"
],
"randn":[
"fo||63|nodiff factory -> new",
"fo|generator|214|nodiff factory -> new"
],
"randn_like":[
"fo||28|nodiff factory -> new:s",
"fo|generator|120|nodiff factory -> new:s"
],
"random_":[
"m|from|self:t from:i to:i * generator:o=N|*0() w:self over -> same(self)",
"m|to|self:t to:i * generator:o=N|*1() w:self over -> same(self)",
"m||121|*2() w:self over -> same(self)"
],
"randperm":[
"fo||116|nodiff factory -> new",
"fo|generator|n:i * generator:o opts|nodiff factory -> new"
],
"ravel":[
"fm||0|-> maybe(self):s"
],
"real":[
"f||0|-> same(self)"
],
"reciprocal":[
"fmo||0|*0(result=r0) -> new:f"
],
"reciprocal_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"record_stream":[
"m||self:t s:o|w:self nodiff -> other"
],
"relu":[
"fmo||0|*0(result=r0) -> new"
],
"relu_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"remainder":[
"fmo|Scalar|3|*0() -> new:s",
"fmo|Tensor|1|*1(other?other,self?other) -> new:s",
"fo|Scalar_Tensor|16|nodiff -> new:s"
],
"remainder_":[
"m|Scalar|3|*0() w:self -> same(self)",
"m|Tensor|1|*1(other?other) w:self c:other -> same(self)"
],
"renorm":[
"fmo||184|*0(self) -> new:s"
],
"renorm_":[
"m||184|*0() w:self c:self -> same(self)"
],
"repeat":[
"m||self:t repeats:v|*0() -> new:s"
],
"repeat_interleave":[
"fo|Tensor|repeats:t * output_size:i=N|nodiff -> new:s",
"fmo|self_Tensor|self:t repeats:t dim:i=N * output_size:i=N|d:self -> new:s",
"fmo|self_int|self:t repeats:i dim:i=N * output_size:i=N|-> new:s"
],
"reshape":[
"fm||self:t shape:v|-> maybe(self):s"
],
"reshape_as":[
"m||1|d:self -> maybe(self):s"
],
"resize_":[
"m||self:t size:v * memory_format:o=N|w:self meta nodiff -> same(self)"
],
"resize_as_":[
"fm||self:t the_template:t * memory_format:o=N|w:self meta nodiff -> same(self)"
],
"resize_as_sparse_":[
"fm||self:t the_template:t|w:self nodiff -> same(self)"
],
"resolve_conj":[
"fm||0|-> same(self)"
],
"resolve_neg":[
"fm||0|-> same(self)"
],
"rms_norm":[
"f||37|MulBackward0(self=input) -> new:s|weight==N",
"f||37|MulBackward0(self=input?input,other=weight?input) -> new:s|weight!=N"
],
"rnn_relu_cell":[
"f||68|AddmmBackward0(mat1=hx?w_hh,mat1=input?w_ih,mat2=w_hh?hx,mat2=w_ih?input) ReluBackward0(result=r0) -> new:s"
],
"rnn_tanh_cell":[
"f||68|AddmmBackward0(mat1=hx?w_hh,mat1=input?w_ih,mat2=w_hh?hx,mat2=w_ih?input) TanhBackward0(result=r0) -> new:s"
],
"roll":[
"fmo||self:t shifts:il dims:il=?|*0() -> new:s"
],
"rot90":[
"fmo||self:t k:i=1 dims:il=?|*0() -> new:s"
],
"round":[
"fmo||0|*0() -> new:s",
"fmo|decimals|119|*1() -> new:s"
],
"round_":[
"fm||0|*0() w:self over -> same(self)",
"fm|decimals|119|*1() w:self over -> same(self)"
],
"row_indices":[
"m||0|nodiff -> view(self)!"
],
"row_indices_copy":[
"fo||0|nodiff -> new!"
],
"row_stack":[
"fo||22|-> new:s"
],
"rrelu":[
"f||159|RreluWithNoiseBackward0(self) -> new:s"
],
"rrelu_":[
"f||159|RreluWithNoiseBackward1(result=r0) w:self -> same(self)"
],
"rsqrt":[
"fmo||0|*0(result=r0) -> new:f"
],
"rsqrt_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"rsub":[
"fo|Tensor|21|*0() -> new:s",
"fo|Scalar|self:t other:n alpha:n=1|*1() -> new:s"
],
"scalar_tensor":[
"fo||s:n * opts|nodiff factory -> new"
],
"scaled_dot_product_attention":[
"f||76|ScaledDotProductFlashAttentionForCpuBackward0(~key,~query,~output=r0,value?query+key,~value?value) -> new:s|attn_mask==N&dropout_p==0",
"f||76|BmmBackward0(mat2=value?query+key) -> new:s|attn_mask==N&dropout_p!=0",
"f||76|ScaledDotProductFlashAttentionForCpuBackward0(attn_mask?query+key+value,key?query+key+value,query?query+key+value,output=r0?query+key+value,value) -> new:s|attn_mask!=N"
],
"scatter":[
"fmo|src|43|*0(index) d:self+src -> new:s",
"fmo|value|44|*1(index) d:self -> new:s",
"fmo|reduce|136|nodiff -> new:s",
"fmo|value_reduce|138|nodiff -> new:s"
],
"scatter_":[
"m|src|43|*0(index) d:self+src w:self -> same(self)",
"m|value|44|*1(index) d:self w:self -> same(self)",
"m|reduce|136|w:self nodiff -> same(self)",
"m|value_reduce|138|w:self nodiff -> same(self)"
],
"scatter_add":[
"fmo||43|*0(index?src) d:self+src -> new:s"
],
"scatter_add_":[
"m||43|*0(index?src) d:self+src w:self -> same(self)"
],
"scatter_reduce":[
"fmo|two|137|*0(index,self,src,result=r0) d:self+src -> new:s"
],
"scatter_reduce_":[
"m|two|137|*0(index,src,result=r0) d:self+src w:self c:self+src -> same(self)"
],
"searchsorted":[
"fo|Tensor|sorted_sequence:t self:t * out_int32:b=F right:b=F side:s=N sorter:t=N|nodiff -> new:i!",
"fo|Scalar|sorted_sequence:t self:n * out_int32:b=F right:b=F side:s=N sorter:t=N|nodiff -> new:i!"
],
"segment_reduce":[
"fo||data:t reduce:s * lengths:t=N indices:t=N offsets:t=N axis:i=0 unsafe:b=F initial:n=N|*0(data,lengths,offsets,result=r0) d:data -> new:s"
],
"select":[
"fm|int|132|*0() -> view(self):s"
],
"select_copy":[
"fo|int|132|SelectBackward0_copy() -> new"
],
"select_scatter":[
"fmo||self:t src:t dim:i index:i|*0() -> new:s"
],
"selu":[
"f||0|EluBackward0(self) -> new:s"
],
"selu_":[
"f||0|EluBackward1(result=r0) w:self -> same(self)"
],
"sgn":[
"fmo||0|*0(self,result=r0) -> new:s"
],
"sgn_":[
"m||0|*0(result=r0) w:self c:self -> same(self)"
],
"sigmoid":[
"fmo||0|*0(result=r0) -> new:f"
],
"sigmoid_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"sign":[
"fmo||0|*0() -> new:s"
],
"sign_":[
"m||0|*0() w:self over -> same(self)"
],
"signbit":[
"fmo||0|nodiff -> new:b!"
],
"sin":[
"fmo||0|*0(self) -> new:f"
],
"sin_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"sinc":[
"fmo||0|*0(self) -> new:f"
],
"sinc_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"sinh":[
"fmo||0|*0(self) -> new:f"
],
"sinh_":[
"fm||0|*0() w:self c:self -> same(self)"
],
"slice_copy":[
"fo|Tensor|self:t dim:i=0 start:i=N end:i=N step:i=1|SliceBackward0_copy() -> new"
],
"slice_inverse":[
"fm||194|*0() -> view(self)"
],
"slice_scatter":[
"fmo||194|*0() -> new:s"
],
"slogdet":[
"fmo||0|LinalgSlogdetBackward0(sign=r0,A=self) -> sign=new:s,logabsdet=new:s"
],
"softmax":[
"fmo|int|79|*0(result=r0) -> new:s"
],
"softplus":[
"fo||self:t beta:n=1 threshold:n=20|*0(self) -> new:s"
],
"softshrink":[
"fo||158|*0(self) -> new:s"
],
"sort":[
"fmo||141|*0(indices=r1) -> values=new:s,indices=new:i!",
"fmo|stable|125|*1(indices=r1) -> values=new:s,indices=new:i!"
],
"sparse_dim":[
"m||0|nodiff -> other"
],
"sparse_mask":[
"m||160|*0(mask) d:self -> new"
],
"sparse_resize_":[
"m||189|w:self nodiff -> same(self)"
],
"sparse_resize_and_clear_":[
"m||189|w:self nodiff -> same(self)"
],
"special_airy_ai":[
"fo||65|nodiff -> new:f"
],
"special_bessel_j0":[
"fo||0|nodiff -> new:f"
],
"special_bessel_j1":[
"fo||0|nodiff -> new:f"
],
"special_bessel_y0":[
"fo||0|nodiff -> new:f"
],
"special_bessel_y1":[
"fo||0|nodiff -> new:f"
],
"special_chebyshev_polynomial_t":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_chebyshev_polynomial_u":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_chebyshev_polynomial_v":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_chebyshev_polynomial_w":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_digamma":[
"fo||0|DigammaBackward0(self) -> new:s"
],
"special_entr":[
"fo||0|*0(self) -> new:f"
],
"special_erf":[
"fo||0|ErfBackward0(self) -> new:s"
],
"special_erfc":[
"fo||0|ErfcBackward0(self) -> new:s"
],
"special_erfcx":[
"fo||0|*0(self,result=r0) -> new:f"
],
"special_erfinv":[
"fo||0|ErfinvBackward0(self) -> new:s"
],
"special_exp2":[
"fo||0|Exp2Backward0(result=r0) -> new:s"
],
"special_expit":[
"fo||0|SigmoidBackward0(result=r0) -> new:s"
],
"special_expm1":[
"fo||0|Expm1Backward0(result=r0) -> new:s"
],
"special_gammainc":[
"fo||1|IgammaBackward0(other?other,self?other) -> new:s"
],
"special_gammaincc":[
"fo||1|IgammacBackward0(other?other,self?other) -> new:s"
],
"special_gammaln":[
"fo||0|LgammaBackward0(self) -> new:s"
],
"special_hermite_polynomial_h":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_hermite_polynomial_he":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_i0":[
"fo||0|I0Backward0(self) -> new:s"
],
"special_i0e":[
"fo||0|*0(self,result=r0) -> new:f"
],
"special_i1":[
"fo||0|*0(self,result=r0) -> new:f"
],
"special_i1e":[
"fo||0|*0(self,result=r0) -> new:f"
],
"special_laguerre_polynomial_l":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_legendre_polynomial_p":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_log1p":[
"fo||0|Log1PBackward0(self) -> new:s"
],
"special_log_ndtr":[
"fo||0|*0(self,result=r0) -> new:f"
],
"special_log_softmax":[
"f||31|LogSoftmaxBackward0(result=r0) -> new:s"
],
"special_logit":[
"fo||80|LogitBackward0(self) -> new:s"
],
"special_logsumexp":[
"fo||144|LogsumexpBackward0(result=r0,self) -> new:s"
],
"special_modified_bessel_i0":[
"fo||0|nodiff -> new:f"
],
"special_modified_bessel_i1":[
"fo||0|nodiff -> new:f"
],
"special_modified_bessel_k0":[
"fo||0|nodiff -> new:f"
],
"special_modified_bessel_k1":[
"fo||0|nodiff -> new:f"
],
"special_multigammaln":[
"fo||83|MvlgammaBackward0(self) -> new:s"
],
"special_ndtr":[
"fo||0|-> new:s"
],
"special_ndtri":[
"fo||0|*0(result=r0) -> new:f"
],
"special_psi":[
"fo||0|DigammaBackward0(self) -> new:s"
],
"special_round":[
"fo||self:t * decimals:i=0|-> new:s"
],
"special_scaled_modified_bessel_k0":[
"fo||65|nodiff -> new:f"
],
"special_scaled_modified_bessel_k1":[
"fo||65|nodiff -> new:f"
],
"special_shifted_chebyshev_polynomial_t":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_shifted_chebyshev_polynomial_u":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_shifted_chebyshev_polynomial_v":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_shifted_chebyshev_polynomial_w":[
"fo||13|nodiff -> new:f",
"fo|x_scalar|11|nodiff -> new:f",
"fo|n_scalar|12|nodiff -> new:f"
],
"special_sinc":[
"fo||0|SincBackward0(self) -> new:s"
],
"special_softmax":[
"f||79|SoftmaxBackward0(result=r0) -> new:s"
],
"special_spherical_bessel_j0":[
"fo||65|nodiff -> new:f"
],
"special_xlog1py":[
"fo||1|*0(other,self) -> new:f",
"fo|self_scalar|16|*1(other) -> new:f",
"fo|other_scalar|3|*2(self) -> new:f"
],
"special_xlogy":[
"fo||1|XlogyBackward0(other,self) -> new:s"
],
"special_zeta":[
"fo||1|*0(other?other,self?other) -> new:f",
"fo|self_scalar|16|*1(other) -> new:f",
"fo|other_scalar|3|*2() nodiff -> new:f"
],
"split_copy":[
"fo|Tensor|193|SplitBackward0_copy() -> list"
],
"split_with_sizes":[
"fm||88|*0() -> views(self)"
],
"split_with_sizes_copy":[
"fo||88|SplitWithSizesBackward0_copy() -> list"
],
"sqrt":[
"fmo||0|*0(result=r0) -> new:f"
],
"sqrt_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"square":[
"fmo||0|PowBackward0(self) -> new:s"
],
"square_":[
"fm||0|w:self c:self -> same(self)"
],
"squeeze":[
"fm||0|*0() -> view(self):s",
"fm|dim|17|*1() -> view(self):s",
"fm|dims|46|*2() -> view(self):s"
],
"squeeze_":[
"m||0|*3() w:self meta -> same(self)",
"m|dim|17|*4() w:self meta -> same(self)",
"m|dims|46|*5() w:self meta -> same(self)"
],
"squeeze_copy":[
"fo||0|SqueezeBackward0_copy() -> new:s",
"fo|dim|17|SqueezeBackward1_copy() -> new:s",
"fo|dims|46|SqueezeBackward2_copy() -> new:s"
],
"stack":[
"fo||64|*0() -> new:s"
],
"std":[
"fmo||57|*0(result=r0,self) -> new:s",
"fmo|dim|45|*0(result=r0,self) -> new:s",
"fmo|correction|47|*0(self,result=r0) -> new:s"
],
"std_mean":[
"fo||57|*0(result0=r0,self) -> new:s,new:s",
"fo|dim|45|*0(result0=r0,self) -> new:s,new:s",
"fo|correction|47|*0(self,result0=r0) -> new:s,new:s"
],
"sub":[
"fmo|Tensor|21|*0() -> new:s"
],
"sub_":[
"m|Tensor|21|*0() w:self -> same(self)"
],
"subtract":[
"fmo|Tensor|21|-> new:s"
],
"subtract_":[
"m|Tensor|21|w:self -> same(self)"
],
"sum":[
"fmo||78|*0() -> new:s",
"fmo|dim_IntList|145|*1() -> new:s"
],
"sum_to_size":[
"m||54|-> maybe(self):s"
],
"svd":[
"fmo||self:t some:b=T compute_uv:b=T|LinalgSvdBackward0(U=r0,S=r1,Vh=r2) -> U=new:s,S=new:s,V=new:s"
],
"swapaxes":[
"fm||128|-> view(self):s"
],
"swapaxes_":[
"m||128|w:self -> same(self)"
],
"swapdims":[
"fm||30|-> view(self):s"
],
"swapdims_":[
"m||30|w:self -> same(self)"
],
"t":[
"fm||0|*0() -> view(self):s"
],
"t_":[
"m||0|*1() w:self meta -> same(self)"
],
"t_copy":[
"fo||0|TBackward0_copy() -> new:s"
],
"take":[
"fmo||self:t index:t|*0(index,self) d:self -> new:s"
],
"take_along_dim":[
"fmo||155|GatherBackward0(index=indices,self) d:self -> new:s|dim==N",
"fmo||155|GatherBackward0(self) d:self -> new:s|dim!=N"
],
"tan":[
"fmo||0|*0(result=r0) -> new:f"
],
"tan_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"tanh":[
"fmo||0|*0(result=r0) -> new:f"
],
"tanh_":[
"fm||0|*0(result=r0) w:self -> same(self)"
],
"tensor_split":[
"fm|sections|self:t sections:i dim:i=0|-> slices(self):s",
"fm|tensor_indices_or_sections|self:t tensor_indices_or_sections:t dim:i=0|d:self -> slices(self):s"
],
"threshold":[
"fo||197|*0(self) -> new"
],
"threshold_":[
"f||197|*1() w:self c:self -> same(self)"
],
"tile":[
"fm||48|-> new:s"
],
"to_mkldnn":[
"m||self:t dtype:o=N|*0(self) -> new"
],
"to_padded_tensor":[
"m||self:t padding:n output_size:il=N|*0(self) -> new"
],
"to_sparse":[
"m|sparse_dim|192|-> new:s",
"m||122|-> new:s"
],
"topk":[
"fmo||self:t k:i dim:i=-1 largest:b=T sorted:b=T|*0(indices=r1) -> values=new:s,indices=new:i!"
],
"trace":[
"fmo||0|*0() -> new:s"
],
"transpose":[
"fm|int|30|*0() -> view(self):s"
],
"transpose_":[
"m||30|*1() w:self meta -> same(self)"
],
"transpose_copy":[
"fo|int|30|TransposeBackward0_copy() -> new:s"
],
"trapezoid":[
"f|x|93|-> new:s",
"f|dx|92|-> new:s"
],
"trapz":[
"f|x|93|-> new:s",
"f|dx|92|-> new:s"
],
"triangular_solve":[
"fmo||self:t A:t upper:b=T transpose:b=F unitriangular:b=F|*0(A,self,solution=r0) -> solution=new:s,cloned_coefficient=new:s"
],
"tril":[
"fmo||29|*0() -> new:s"
],
"tril_":[
"m||29|*0() w:self -> same(self)"
],
"tril_indices":[
"fo||118|nodiff factory -> new"
],
"triplet_margin_loss":[
"f||anchor:t positive:t negative:t margin:n=1.0 p:n=2 eps:n=1e-06 swap:b=F reduction:i=?|-> new:s"
],
"triu":[
"fmo||29|*0() -> new:s"
],
"triu_":[
"m||29|*0() w:self -> same(self)"
],
"triu_indices":[
"fo||118|nodiff factory -> new"
],
"true_divide":[
"fmo|Tensor|1|DivBackward0(other,self?other) -> new:s"
],
"true_divide_":[
"m|Tensor|1|DivBackward0(other) w:self c:other -> same(self)"
],
"trunc":[
"fmo||0|*0() -> new:s"
],
"trunc_":[
"fm||0|*0() w:self over -> same(self)"
],
"type_as":[
"m||1|d:self -> maybe(self):s"
],
"unbind":[
"fm|int|142|*0() -> views(self)"
],
"unbind_copy":[
"fo|int|142|UnbindBackward0_copy() -> list"
],
"unflatten":[
"fm|int|self:t dim:i sizes:il|-> view(self):s"
],
"unfold":[
"m||150|*0() -> view(self):s"
],
"unfold_copy":[
"fo||150|UnfoldBackward0_copy() -> new:s"
],
"uniform_":[
"m||self:t from:n=0 to:n=1 * generator:o=N|*0() w:self over -> same(self)"
],
"unsafe_chunk":[
"fm||130|-> slices(self):s"
],
"unsafe_split":[
"fmo|Tensor|193|*0() -> list"
],
"unsafe_split_with_sizes":[
"fmo||88|*0() -> list"
],
"unsqueeze":[
"fm||17|*0() -> view(self):s"
],
"unsqueeze_":[
"m||17|*1() w:self meta -> same(self)"
],
"unsqueeze_copy":[
"fo||17|UnsqueezeBackward0_copy() -> new:s"
],
"values":[
"m||0|*0(self) -> view(self)"
],
"values_copy":[
"fo||0|ValuesBackward0_copy(self) -> new"
],
"vander":[
"f||x:t N:i=N increasing:b=F|-> new:s"
],
"var":[
"fmo||57|*0(self) -> new:s",
"fmo|dim|45|*0(self) -> new:s",
"fmo|correction|47|*0(self) -> new:s"
],
"var_mean":[
"fo||57|*0(self) -> new:s,new:s",
"fo|dim|45|*0(self) -> new:s,new:s",
"fo|correction|47|*0(self) -> new:s,new:s"
],
"vdot":[
"fmo||1|*0(other?self,self?other) -> new:s"
],
"view":[
"m||54|*0() -> view(self):s",
"m|dtype|151|nodiff -> view(self):s!"
],
"view_as":[
"m||1|d:self -> view(self):s"
],
"view_as_complex":[
"f||0|*0() -> view(self):c"
],
"view_as_complex_copy":[
"fo||0|ViewAsComplexBackward0_copy() -> new"
],
"view_as_real":[
"f||0|*0() -> view(self)"
],
"view_as_real_copy":[
"fo||0|ViewAsRealBackward0_copy() -> new"
],
"view_copy":[
"fo||54|ViewBackward0_copy() -> new:s",
"fo|dtype|151|nodiff -> new:s!"
],
"vsplit":[
"fm|int|85|-> slices(self):s"
],
"vstack":[
"fo||22|-> new:s"
],
"where":[
"fo|self|condition:t self:t other:t|*0(condition) d:self+other -> new:s",
"m|self|self:t condition:t other:t|*0(condition) d:self+other -> new:s"
],
"xlogy":[
"fmo|Tensor|1|*0(other,self) -> new:f",
"fo|Scalar_Self|16|*1(other) -> new:f",
"fmo|Scalar_Other|3|*2(self) -> new:f"
],
"xlogy_":[
"fm|Tensor|1|*0(other) w:self c:self+other -> same(self)",
"fm|Scalar_Other|3|*2() w:self c:self -> same(self)"
],
"zero_":[
"fm||0|*0() w:self over -> same(self)"
],
"zeros":[
"fo||63|nodiff factory -> new"
],
"zeros_like":[
"fo||28|nodiff factory -> new:s"
]
},
"modules":{
"AdaptiveAvgPool1d":[
"output_size:x",
"input:t",
"",
"-> new:s|output_size==1",
"AdaptiveAvgPool2DBackward0(self=input) -> new:s|output_size!=1"
],
"AdaptiveAvgPool2d":[
"output_size:x",
"input:t",
"",
"-> new:s|output_size==1",
"AdaptiveAvgPool2DBackward0(self=input) -> new:s|output_size!=1"
],
"AdaptiveAvgPool3d":[
"",
"input:t",
"",
"AdaptiveAvgPool3DBackward0(self=input) -> new:s"
],
"AdaptiveMaxPool1d":[
"",
"input:t",
"",
"AdaptiveMaxPool2DBackward0(self=input) -> new:s"
],
"AdaptiveMaxPool2d":[
"",
"input:t",
"",
"AdaptiveMaxPool2DBackward0(self=input) -> new:s"
],
"AdaptiveMaxPool3d":[
"",
"input:t",
"",
"AdaptiveMaxPool3DBackward0(self=input) -> new:s"
],
"AlphaDropout":[
"p:x=0.5",
"input:t",
"",
"-> same(input)|p==0",
"-> same(input)|p!=0&training==F",
"-> new:s|p!=0&training!=F"
],
"AvgPool1d":[
"",
"input:t",
"",
"AvgPool2DBackward0(self=input) -> new:s"
],
"AvgPool2d":[
"",
"input:t",
"",
"AvgPool2DBackward0(self=input) -> new:s"
],
"AvgPool3d":[
"",
"input:t",
"",
"AvgPool3DBackward0(self=input) -> new:s"
],
"BCELoss":[
"",
"input:t target:t",
"",
"BinaryCrossEntropyBackward0(self=input,target) -> new:s"
],
"BCEWithLogitsLoss":[
"",
"input:t target:t",
"",
"BinaryCrossEntropyWithLogitsBackward0(self=input,target) -> new:s"
],
"BatchNorm1d":[
"num_features:x eps:x=1e-05 momentum:x=0.1 affine:b=T",
"input:t",
"affine!=F",
"NativeBatchNormBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"BatchNorm2d":[
"num_features:x eps:x=1e-05 momentum:x=0.1 affine:b=T",
"input:t",
"affine!=F",
"NativeBatchNormBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"BatchNorm3d":[
"num_features:x eps:x=1e-05 momentum:x=0.1 affine:b=T",
"input:t",
"affine!=F",
"NativeBatchNormBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"Bilinear":[
"",
"input1:t input2:t",
"1",
"TrilinearBackward0(i1=input1?input2+weight*,i3=input2?input1+weight*,i2=weight*?input1+input2) d:input1+input2+weight* -> new:s"
],
"CELU":[
"alpha:x=1 inplace:b=F",
"input:t",
"",
"CeluBackward0(self=input) -> new:s|inplace==F",
"CeluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"CTCLoss":[
"blank:x=0 reduction:x=mean",
"log_probs:t targets:t input_lengths:t target_lengths:t",
"",
"CtcLossBackward0(log_probs,result0=r0,~targets) d:log_probs -> new:s|reduction==none&input_lengths==tensor",
"CtcLossBackward0(log_probs,result0=r0) d:log_probs -> new:s|reduction==none&input_lengths!=tensor",
"CtcLossBackward0(log_probs,~targets) d:log_probs -> new:s|reduction!=none"
],
"ChannelShuffle":[
"",
"input:t",
"",
"-> new:s"
],
"CircularPad1d":[
"",
"input:t",
"",
"-> new:s"
],
"CircularPad2d":[
"",
"input:t",
"",
"-> new:s"
],
"CircularPad3d":[
"",
"input:t",
"",
"-> new:s"
],
"ConstantPad1d":[
"",
"input:t",
"",
"-> new:s"
],
"ConstantPad2d":[
"",
"input:t",
"",
"-> new:s"
],
"ConstantPad3d":[
"",
"input:t",
"",
"-> new:s"
],
"Conv1d":[
"",
"input:t",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"Conv2d":[
"",
"input:t",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"Conv3d":[
"",
"input:t",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"ConvTranspose1d":[
"",
"input:t output_size:il=N",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"ConvTranspose2d":[
"",
"input:t output_size:il=N",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"ConvTranspose3d":[
"",
"input:t output_size:il=N",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"CosineEmbeddingLoss":[
"",
"input1:t input2:t target:t",
"",
"MulBackward0(other=input1,other=input2) d:input1+input2 -> new:s"
],
"CosineSimilarity":[
"",
"x1:t x2:t",
"",
"DivBackward0(self=x1?x1,self=x2?x2) -> new:s"
],
"CrossEntropyLoss":[
"",
"input:t target:t",
"",
"NllLossBackward0(~target?input) -> new:s"
],
"Dropout":[
"p:x=0.5 inplace:b=F",
"input:t",
"",
"-> same(input)|p==0",
"-> same(input)|p!=0&training==F",
"-> new:s|p!=0&training!=F&inplace==F",
"w:input -> same(input)|p!=0&training!=F&inplace!=F"
],
"Dropout1d":[
"p:x=0.5 inplace:b=F",
"input:t",
"",
"-> same(input)|p==0",
"-> same(input)|p!=0&training==F",
"-> new:s|p!=0&training!=F&inplace==F",
"w:input -> same(input)|p!=0&training!=F&inplace!=F"
],
"Dropout2d":[
"p:x=0.5 inplace:b=F",
"input:t",
"",
"-> same(input)|p==0",
"-> same(input)|p!=0&training==F",
"-> new:s|p!=0&training!=F&inplace==F",
"w:input -> same(input)|p!=0&training!=F&inplace!=F"
],
"Dropout3d":[
"p:x=0.5 inplace:b=F",
"input:t",
"",
"-> same(input)|p==0",
"-> same(input)|p!=0&training==F",
"-> new:s|p!=0&training!=F&inplace==F",
"w:input -> same(input)|p!=0&training!=F&inplace!=F"
],
"ELU":[
"alpha:x=1 inplace:b=F",
"input:t",
"",
"EluBackward0(self=input) -> new:s|inplace==F",
"EluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"Embedding":[
"num_embeddings:x embedding_dim:x padding_idx:x=N max_norm:x=N",
"input:t",
"1",
"EmbeddingBackward0(indices=input) d:weight* -> new:s|max_norm==N",
"EmbeddingBackward0(indices=input) d:weight* w:weight* -> new:s|max_norm!=N"
],
"EmbeddingBag":[
"",
"input:t offsets:t=N per_sample_weights:t=N",
"1",
"EmbeddingBagBackward0(indices=input) d:weight* -> new:s"
],
"FeatureAlphaDropout":[
"p:x=0.5",
"input:t",
"",
"-> same(input)|p==0",
"-> same(input)|p!=0&training==F",
"-> new:s|p!=0&training!=F"
],
"Flatten":[
"",
"input:t",
"",
"-> maybe(input):s"
],
"Fold":[
"",
"input:t",
"",
"-> new:s"
],
"GELU":[
"",
"input:t",
"",
"GeluBackward0(self=input) -> new:s"
],
"GLU":[
"",
"input:t",
"",
"GluBackward0(self=input) -> new:s"
],
"GRU":[
"",
"input:t hx:t=N",
"1",
"CudnnRnnBackward0(hx@cuda,input@cuda,result0=r0@cuda) AddmmBackward0(mat1=input?weight*,mat2=weight*) MmBackward0(self=hx?weight*) d:input+weight*+hx -> new:s,new:s"
],
"GRUCell":[
"",
"input:t hx:t=N",
"1",
"AddmmBackward0(mat1=hx?weight*,mat1=input?weight*,mat2=weight*?input+hx) d:input+hx+weight* -> new:s"
],
"GaussianNLLLoss":[
"",
"input:t target:t var:t",
"",
"-> new:s"
],
"GroupNorm":[
"num_groups:x num_channels:x eps:x=1e-05 affine:b=T",
"input:t",
"affine!=F",
"NativeGroupNormBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"Hardshrink":[
"",
"input:t",
"",
"HardshrinkBackward0(self=input) -> new:s"
],
"Hardsigmoid":[
"inplace:b=F",
"input:t",
"",
"HardsigmoidBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"Hardswish":[
"inplace:b=F",
"input:t",
"",
"HardswishBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"Hardtanh":[
"min_val:x=-1 max_val:x=1 inplace:b=F",
"input:t",
"",
"HardtanhBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"HingeEmbeddingLoss":[
"",
"input:t target:t",
"",
"d:input -> new:s"
],
"HuberLoss":[
"",
"input:t target:t",
"",
"HuberLossBackward0(self=input,target) -> new:s"
],
"Identity":[
"",
"input:t",
"",
"-> same(input)"
],
"InstanceNorm1d":[
"num_features:x eps:x=1e-05 momentum:x=0.1 affine:b=F",
"input:t",
"affine!=F",
"NativeBatchNormBackward0(input) d:input+weight* -> new:s"
],
"InstanceNorm2d":[
"num_features:x eps:x=1e-05 momentum:x=0.1 affine:b=F",
"input:t",
"affine!=F",
"NativeBatchNormBackward0(input) d:input+weight* -> new:s"
],
"InstanceNorm3d":[
"num_features:x eps:x=1e-05 momentum:x=0.1 affine:b=F",
"input:t",
"affine!=F",
"NativeBatchNormBackward0(input) d:input+weight* -> new:s"
],
"KLDivLoss":[
"size_average:x=N reduce:x=N reduction:x=mean log_target:b=F",
"input:t target:t",
"",
"MulBackward0(other=input?target,self=target) -> new:s|log_target==F",
"-> new:s|log_target!=F"
],
"L1Loss":[
"",
"input:t target:t",
"",
"-> new:s"
],
"LPPool1d":[
"",
"input:t",
"",
"PowBackward0(self=input) -> new:s"
],
"LPPool2d":[
"",
"input:t",
"",
"PowBackward0(self=input) -> new:s"
],
"LPPool3d":[
"",
"input:t",
"",
"PowBackward0(self=input) -> new:s"
],
"LSTM":[
"",
"input:t hx:x=N",
"1",
"CudnnRnnBackward0(hx@cuda,input@cuda,result0=r0@cuda) MkldnnRnnLayerBackward0(input?weight*,~input?input,~result0=r0,weight0=weight*) d:input+weight* -> new:s,list:s"
],
"LSTMCell":[
"",
"input:t hx:tl=N",
"1",
"AddmmBackward0(mat1=input?weight*,mat2=weight*?input+hx) MulBackward0(other=hx) d:input+hx+weight* -> new:s,new:s"
],
"LayerNorm":[
"normalized_shape:x eps:x=1e-05 elementwise_affine:b=T",
"input:t",
"elementwise_affine!=F",
"NativeLayerNormBackward0(input,bias=weight*) d:input+weight* -> new:s"
],
"LazyConv1d":[
"",
"input:t",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"LazyConv2d":[
"",
"input:t",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"LazyConv3d":[
"",
"input:t",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"LazyConvTranspose1d":[
"",
"input:t output_size:il=N",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"LazyConvTranspose2d":[
"",
"input:t output_size:il=N",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"LazyConvTranspose3d":[
"",
"input:t output_size:il=N",
"1",
"ConvolutionBackward0(input,weight=weight*) d:input+weight* -> new:s"
],
"LeakyReLU":[
"negative_slope:x=0.01 inplace:b=F",
"input:t",
"",
"LeakyReluBackward0(self=input) -> new:s|inplace==F",
"LeakyReluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"Linear":[
"",
"input:t",
"1",
"AddmmBackward0(mat1=input?weight*,mat2=weight*?input) d:input+weight* -> new:s"
],
"LinearCrossEntropyLoss":[
"in_features:x num_classes:x out_features:x=? bias:b=F reduction:x=mean weight:x=N ignore_index:x=N label_smoothing:x=0 options:x=N",
"input:t target:t",
"1",
"MmBackward0(self=input?weight*,~self=input?input,mat2=weight*?input,~mat2=weight*?weight*) NllLoss2DBackward0(target) d:input+weight* -> new:s|reduction==none",
"MmBackward0(self=input?weight*,mat2=weight*?input) NllLossBackward0(target) d:input+weight* -> new:s|reduction!=none&options==N",
"MmBackward0(~self=input?weight*,~mat2=weight*?input) NllLossBackward0(~target) d:input+weight* -> new:s|reduction!=none&options!=N"
],
"LocalResponseNorm":[
"",
"input:t",
"",
"DivBackward0(self=input) -> new:s"
],
"LogSigmoid":[
"",
"input:t",
"",
"LogSigmoidBackward0(self=input) -> new:s"
],
"LogSoftmax":[
"",
"input:t",
"",
"LogSoftmaxBackward0(result=r0) -> new:s"
],
"MSELoss":[
"",
"input:t target:t",
"",
"MseLossBackward0(self=input,target) -> new:s"
],
"MarginRankingLoss":[
"",
"input1:t input2:t target:t",
"",
"d:input1+input2 -> new:s"
],
"MaxPool1d":[
"kernel_size:x stride:x=N padding:x=0 dilation:x=1 return_indices:b=F",
"input:t",
"",
"MaxPool2DWithIndicesBackward0(self=input) -> new:s|return_indices==F",
"MaxPool2DWithIndicesBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"MaxPool2d":[
"kernel_size:x stride:x=N padding:x=0 dilation:x=1 return_indices:b=F",
"input:t",
"",
"MaxPool2DWithIndicesBackward0(self=input) -> new:s|return_indices==F",
"MaxPool2DWithIndicesBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"MaxPool3d":[
"kernel_size:x stride:x=N padding:x=0 dilation:x=1 return_indices:b=F",
"input:t",
"",
"MaxPool3DWithIndicesBackward0(self=input) -> new:s|return_indices==F",
"MaxPool3DWithIndicesBackward0(self=input,result1=r1) -> new:s,new:i!|return_indices!=F"
],
"MaxUnpool1d":[
"",
"input:t indices:t output_size:il=N",
"",
"MaxUnpool2DBackward0(indices) d:input -> new:s"
],
"MaxUnpool2d":[
"",
"input:t indices:t output_size:il=N",
"",
"MaxUnpool2DBackward0(indices) d:input -> new:s"
],
"MaxUnpool3d":[
"",
"input:t indices:t output_size:il=N",
"",
"MaxUnpool3DBackward0(indices) d:input -> new:s"
],
"Mish":[
"inplace:b=F",
"input:t",
"",
"MishBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"MultiLabelMarginLoss":[
"",
"input:t target:t",
"",
"MultilabelMarginLossBackward0(self=input,target) d:input -> new:s"
],
"MultiLabelSoftMarginLoss":[
"",
"input:t target:t",
"",
"LogSigmoidBackward0(self=input) MulBackward0(self=target) d:input -> new:s"
],
"MultiMarginLoss":[
"",
"input:t target:t",
"",
"MultiMarginLossBackward0(self=input,target) d:input -> new:s"
],
"MultiheadAttention":[
"",
"query:t key:t value:t key_padding_mask:t=N need_weights:b=T attn_mask:t=N average_attn_weights:b=T is_causal:b=F",
"1",
"AddmmBackward0(mat1=key?weight*,mat1=query?weight*,mat1=value?weight*,mat2=weight*) d:query+key+value+weight* -> new:s,other|need_weights==F",
"AddmmBackward0(mat1=key?weight*,mat1=query?weight*,mat1=value?weight*,mat2=weight*) d:query+key+value+weight* -> new:s,new:s|need_weights!=F"
],
"NLLLoss":[
"",
"input:t target:t",
"",
"NllLossBackward0(self=input,target) d:input -> new:s"
],
"PReLU":[
"",
"input:t",
"1",
"PreluKernelBackward0(self=input,weight=weight*) d:input+weight* -> new:s"
],
"PairwiseDistance":[
"",
"x1:t x2:t",
"",
"NormBackward1(result=r0) -> new:s"
],
"PixelShuffle":[
"",
"input:t",
"",
"-> new:s"
],
"PixelUnshuffle":[
"",
"input:t",
"",
"-> new:s"
],
"PoissonNLLLoss":[
"log_input:b=T full:b=F size_average:x=N eps:x=1e-08 reduce:x=N reduction:x=mean",
"log_input:t target:t",
"",
"MulBackward0(~other=log_input?target,self=target?log_input) -> new:s|full==F&reduction==mean",
"MulBackward0(other=log_input?target,self=target?log_input) -> new:s|full==F&reduction!=mean",
"MulBackward0(~other=log_input?target,self=target) -> new:s|full!=F"
],
"RMSNorm":[
"normalized_shape:x eps:x=N elementwise_affine:b=T",
"x:t",
"elementwise_affine!=F",
"MulBackward0(self=x) -> new:s|elementwise_affine==F",
"MulBackward0(other=weight*?x,self=x?x) d:x+weight* -> new:s|elementwise_affine!=F"
],
"RNN":[
"",
"input:t hx:x=N",
"1",
"CudnnRnnBackward0(hx@cuda,input@cuda,result0=r0@cuda) AddmmBackward0(mat1=input?weight*,mat2=weight*) d:input+weight* -> new:s,new:s"
],
"RNNCell":[
"",
"input:t hx:t=N",
"1",
"AddmmBackward0(mat1=hx?weight*,mat1=input?weight*,mat2=weight*?input+hx) TanhBackward0(result=r0) d:input+hx+weight* -> new:s"
],
"RReLU":[
"lower:x=0.125 upper:x=0.333333 inplace:b=F",
"input:t",
"",
"RreluWithNoiseBackward0(self=input) -> new:s|inplace==F",
"RreluWithNoiseBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"ReLU":[
"inplace:b=F",
"input:t",
"",
"ReluBackward0(result=r0) -> new:s|inplace==F",
"ReluBackward0(result=r0) w:input -> same(input)|inplace!=F"
],
"ReLU6":[
"inplace:b=F",
"input:t",
"",
"HardtanhBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"ReflectionPad1d":[
"",
"input:t",
"",
"ReflectionPad1DBackward0(self=input) -> new:s"
],
"ReflectionPad2d":[
"",
"input:t",
"",
"ReflectionPad2DBackward0(self=input) -> new:s"
],
"ReflectionPad3d":[
"",
"input:t",
"",
"ReflectionPad3DBackward0(self=input) -> new:s"
],
"ReplicationPad1d":[
"",
"input:t",
"",
"ReplicationPad1DBackward0(self=input) -> new:s"
],
"ReplicationPad2d":[
"",
"input:t",
"",
"ReplicationPad2DBackward0(self=input) -> new:s"
],
"ReplicationPad3d":[
"",
"input:t",
"",
"ReplicationPad3DBackward0(self=input) -> new:s"
],
"SELU":[
"inplace:b=F",
"input:t",
"",
"EluBackward0(self=input) -> new:s|inplace==F",
"EluBackward1(result=r0) w:input -> same(input)|inplace!=F"
],
"SiLU":[
"inplace:b=F",
"input:t",
"",
"SiluBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"Sigmoid":[
"",
"input:t",
"",
"SigmoidBackward0(result=r0) -> new:s"
],
"SmoothL1Loss":[
"",
"input:t target:t",
"",
"SmoothL1LossBackward0(self=input,target) -> new:s"
],
"SoftMarginLoss":[
"",
"input:t target:t",
"",
"SoftMarginLossBackward0(self=input,target) d:input -> new:s"
],
"Softmax":[
"",
"input:t",
"",
"SoftmaxBackward0(result=r0) -> new:s"
],
"Softmax2d":[
"",
"input:t",
"",
"SoftmaxBackward0(result=r0) -> new:s"
],
"Softmin":[
"",
"input:t",
"",
"SoftmaxBackward0(result=r0) -> new:s"
],
"Softplus":[
"",
"input:t",
"",
"SoftplusBackward0(self=input) -> new:s"
],
"Softshrink":[
"",
"input:t",
"",
"SoftshrinkBackward0(self=input) -> new:s"
],
"Softsign":[
"",
"input:t",
"",
"DivBackward0(self=input) -> new:s"
],
"Tanh":[
"",
"input:t",
"",
"TanhBackward0(result=r0) -> new:s"
],
"Tanhshrink":[
"",
"input:t",
"",
"-> new:s"
],
"Threshold":[
"threshold:x value:x inplace:b=F",
"input:t",
"",
"ThresholdBackward0(self=input) -> new:s|inplace==F",
"w:input c:input -> same(input)|inplace!=F"
],
"Transformer":[
"d_model:x=512 nhead:x=8 num_encoder_layers:x=6 num_decoder_layers:x=6 dim_feedforward:x=2048 dropout:x=0.1 activation:x=? custom_encoder:x=N custom_decoder:x=N layer_norm_eps:x=1e-05 batch_first:b=F norm_first:b=F",
"src:t tgt:t src_mask:t=N tgt_mask:t=N memory_mask:t=N src_key_padding_mask:t=N tgt_key_padding_mask:t=N memory_key_padding_mask:t=N src_is_causal:b=N tgt_is_causal:b=N memory_is_causal:b=F",
"1",
"AddmmBackward0(mat1=src?weight*,mat1=tgt?weight*) NativeLayerNormBackward0(bias=weight*) d:src+tgt+weight* -> new:s|norm_first==F",
"NativeLayerNormBackward0(input=src?src+weight*,input=tgt?tgt+weight*,bias=weight*) d:src+tgt+weight* -> new:s|norm_first!=F"
],
"TransformerDecoderLayer":[
"d_model:x nhead:x dim_feedforward:x=2048 dropout:x=0.1 activation:x=? layer_norm_eps:x=1e-05 batch_first:b=F norm_first:b=F",
"tgt:t memory:t tgt_mask:t=N memory_mask:t=N tgt_key_padding_mask:t=N memory_key_padding_mask:t=N tgt_is_causal:b=F memory_is_causal:b=F",
"1",
"AddmmBackward0(mat1=memory?weight*,mat1=tgt?weight*) NativeLayerNormBackward0(bias=weight*) d:tgt+memory+weight* -> new:s|norm_first==F&batch_first==F",
"NativeLayerNormBackward0(bias=weight*) d:tgt+memory+weight* -> new:s|norm_first==F&batch_first!=F",
"AddmmBackward0(mat2=weight*) NativeLayerNormBackward0(input=tgt?tgt+weight*) d:tgt+memory+weight* -> new:s|norm_first!=F"
],
"TransformerEncoder":[
"",
"src:t mask:t=N src_key_padding_mask:t=N is_causal:b=N",
"1",
"AddmmBackward0(~mat1=src) NativeLayerNormBackward0(bias=weight*) d:src+weight* -> new:s"
],
"TransformerEncoderLayer":[
"d_model:x nhead:x dim_feedforward:x=2048 dropout:x=0.1 activation:x=? layer_norm_eps:x=1e-05 batch_first:b=F norm_first:b=F",
"src:t src_mask:t=N src_key_padding_mask:t=N is_causal:b=F",
"1",
"AddmmBackward0(mat1=src?weight*) NativeLayerNormBackward0(bias=weight*) d:src+weight* -> new:s|norm_first==F&batch_first==F",
"MmBackward0(~self=src?weight*) NativeLayerNormBackward0(weight=weight*) d:src+weight* -> new:s|norm_first==F&batch_first!=F&src_key_padding_mask==N&src_mask==N",
"MmBackward0(self=src?weight*) NativeLayerNormBackward0(weight=weight*) d:src+weight* -> new:s|norm_first==F&batch_first!=F&src_key_padding_mask==N&src_mask!=N",
"MmBackward0(self=src?weight*) NativeLayerNormBackward0(weight=weight*) d:src+weight* -> new:s|norm_first==F&batch_first!=F&src_key_padding_mask!=N",
"MmBackward0(mat2=weight*) NativeLayerNormBackward0(input=src) d:src+weight* -> new:s|norm_first!=F"
],
"TripletMarginLoss":[
"",
"anchor:t positive:t negative:t",
"",
"-> new:s"
],
"Unflatten":[
"",
"input:t",
"",
"-> view(input):s"
],
"Unfold":[
"",
"input:t",
"",
"-> new:s"
],
"Upsample":[
"",
"input:t",
"",
"-> new:s"
],
"UpsamplingBilinear2d":[
"",
"input:t",
"",
"-> new:s"
],
"UpsamplingNearest2d":[
"",
"input:t",
"",
"-> new:s"
],
"ZeroPad1d":[
"",
"input:t",
"",
"-> new:s"
],
"ZeroPad2d":[
"",
"input:t",
"",
"-> new:s"
],
"ZeroPad3d":[
"",
"input:t",
"",
"-> new:s"
]
},
"names":{
"Tensor":"__abs__~abs __add__~add __and__~bitwise_and __bool__ __complex__ __div__~op:div __eq__~eq __float__ __floordiv__~floor_divide __ge__~ge __getitem__~op:getitem __getstate__ __gt__~gt __iadd__~add_ __iand__~bitwise_and_ __idiv__~div_ __ifloordiv__~floor_divide_ __ilshift__ __imod__~remainder_ __imul__~mul_ __index__ __int__ __invert__~bitwise_not __ior__~bitwise_or_ __ipow__~pow_ __irshift__ __isub__~sub_ __itruediv__~div_ __ixor__~bitwise_xor_ __le__~le __long__ __lshift__ __lt__~lt __matmul__~matmul __mod__~remainder __mul__~mul __ne__~ne __neg__~neg __nonzero__ __or__~bitwise_or __pos__~op:pos __pow__~pow __radd__~add __rand__~bitwise_and __reduce__ __rmul__~mul __ror__~bitwise_or __rshift__ __rxor__~bitwise_xor __setitem__~op:setitem __sizeof__ __sub__~sub __truediv__~op:div __xor__~bitwise_xor _addmm_activation _autocast_to_full_precision _autocast_to_reduced_precision _coalesced_ _conj _conj_physical _dimI _dimV _fix_weakref _indices _is_all_true _is_any_true _is_view _is_zerotensor _lazy_clone _neg_view _nested_tensor_size _nested_tensor_storage_offsets _nested_tensor_strides _nnz _philox_normal_ _philox_uniform_ _rev_view_func_unsafe _sparse_mask_projection _to_dense _to_sparse _to_sparse_bsc _to_sparse_bsr _to_sparse_csc _to_sparse_csr _use_count _values _view_func _view_func_unsafe abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint all allclose amax amin aminmax angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ as_strided_scatter as_subclass asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ backward~pym:backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16 bincount bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm bool broadcast_to byte cauchy_ ccol_indices cdouble ceil ceil_ cfloat chalf char cholesky cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone coalesce col_indices conj conj_physical conj_physical_ const_data_ptr contiguous copy_ copysign copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero cov cpu cross crow_indices cuda cummax cummin cumprod cumprod_ cumsum cumsum_ data_ptr deg2rad deg2rad_ dense_dim dequantize det detach detach_ diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order~pym:dim_order dist div div_ divide divide_ dot double dsplit eig~pym:eig element_size eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_ fill_diagonal_ fix fix_ flatten flip fliplr flipud float float_power float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gather gcd gcd_ ge ge_ geometric_ geqrf ger get_device greater greater_ greater_equal greater_equal_ gt gt_ half hardshrink hash_tensor heaviside heaviside_ histc histogram hsplit hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ index~pym:index index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce index_reduce_ index_select indices inner int int_repr inverse ipu is_coalesced is_complex is_conj is_contiguous is_distributed is_floating_point is_inference is_neg is_nonzero is_pinned is_same_size is_set_to is_shared~pym:is_shared is_signed isclose isfinite isinf isnan isneginf isposinf isreal istft~pym:istft item kron kthvalue lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logsumexp long lstsq~pym:lstsq lt lt_ lu~pym:lu lu_solve map2_ map_ masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_exp matrix_power max maximum mean median min minimum mm mode module_load~pym:module_load moveaxis movedim msort mtia mul mul_ multinomial multiply multiply_ mv mvlgamma mvlgamma_ nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy ndimension ne ne_ neg neg_ negative negative_ nelement new new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter nextafter_ nonzero nonzero_static norm~pym:norm normal_ not_equal not_equal_ numel numpy orgqr ormqr outer permute pin_memory pinverse polygamma polygamma_ positive pow pow_ prelu prod put put_ q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ random_ ravel reciprocal reciprocal_ record_stream register_hook~pym:register_hook register_post_accumulate_grad_hook~pym:register_post_accumulate_grad_hook reinforce~pym:reinforce relu relu_ remainder remainder_ renorm renorm_ repeat repeat_interleave requires_grad_ reshape reshape_as resize~pym:resize resize_ resize_as~pym:resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg retain_grad roll rot90 round round_ row_indices rsqrt rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select select_scatter set_ sgn sgn_ share_memory_~pym:share_memory_ short sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse slice_scatter slogdet smm softmax solve~pym:solve sort sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split~pym:split split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std stft~pym:stft storage~pym:storage storage_offset storage_type~pym:storage_type stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes swapaxes_ swapdims swapdims_ symeig~pym:symeig t t_ take take_along_dim tan tan_ tanh tanh_ tensor_split tile to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo~pym:to_sparse_coo to_sparse_csc to_sparse_csr tolist topk trace transpose transpose_ triangular_solve tril tril_ triu triu_ true_divide true_divide_ trunc trunc_ type type_as unbind unflatten~pym:unflatten unfold uniform_ unique~pym:unique unique_consecutive~pym:unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage values var vdot view view_as vsplit where xlogy xlogy_ xpu zero_",
"attributes":"__annotations__ __array__ __array_priority__ __array_wrap__ __class__ __contains__ __cuda_array_interface__ __deepcopy__ __delattr__ __delitem__ __dict__ __dir__ __dlpack__ __dlpack_c_exchange_api__ __dlpack_device__ __doc__ __format__ __getattribute__ __hash__ __init__ __init_subclass__ __iter__ __len__ __module__ __new__ __rdiv__ __reduce_ex__ __repr__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rpow__ __rrshift__ __rsub__ __rtruediv__ __setattr__ __setstate__ __str__ __subclasshook__ __torch_dispatch__ __torch_function__ __weakref__ _backward_hooks _base _cdata _clear_non_serializable_cached_data _dtensor__new__ _grad _grad_fn _has_symbolic_sizes_strides _make_subclass _make_wrapper_subclass _post_accumulate_grad_hooks _python_dispatch _reduce_ex_internal _typed_storage _version device dtype grad_dtype grad_fn is_cpu is_cuda is_ipu is_leaf is_maia is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse is_sparse_csr is_vulkan is_xla is_xpu itemsize layout name nbytes ndim output_nr requires_grad retains_grad shape volatile",
"operators":"!=~ne %~remainder %=~remainder_ &~bitwise_and &=~bitwise_and_ *~mul **~pow **=~pow_ *=~mul_ +~add +=~add_ -~sub -=~sub_ /~op:div //~floor_divide //=~floor_divide_ /=~div_ <~lt <<~__lshift__ <<=~__ilshift__ <=~le ==~eq >~gt >=~ge >>~__rshift__ >>=~__irshift__ @~matmul @=~matmul []~op:getitem []=~op:setitem ^~bitwise_xor ^=~bitwise_xor_ abs invert~bitwise_not neg pos~op:pos |~bitwise_or |=~bitwise_or_",
"properties":"H~prop:H T~prop:T data~prop:data grad~prop:grad imag~prop:imag mH~prop:mH mT~prop:mT real~prop:real",
"torch":"_foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_ _foreach_add _foreach_add_ _foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_asin _foreach_asin_ _foreach_atan _foreach_atan_ _foreach_ceil _foreach_ceil_ _foreach_clamp_max _foreach_clamp_max_ _foreach_clamp_min _foreach_clamp_min_ _foreach_clone _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh _foreach_cosh_ _foreach_div _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ _foreach_exp _foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor _foreach_floor_ _foreach_frac _foreach_frac_ _foreach_lerp _foreach_lerp_ _foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log10 _foreach_log10_ _foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_ _foreach_log_ _foreach_max _foreach_maximum _foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mm _foreach_mul _foreach_mul_ _foreach_neg _foreach_neg_ _foreach_norm _foreach_pow _foreach_pow_ _foreach_powsum _foreach_reciprocal _foreach_reciprocal_ _foreach_round _foreach_round_ _foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid _foreach_sigmoid_ _foreach_sign _foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh _foreach_sinh_ _foreach_sqrt _foreach_sqrt_ _foreach_sub _foreach_sub_ _foreach_tan _foreach_tan_ _foreach_tanh _foreach_tanh_ _foreach_trunc _foreach_trunc_ _foreach_zero_ _fused_adagrad_ _fused_adam_ _fused_adamw_ _fused_dropout _fused_moving_avg_obs_fq_helper _fused_rms_norm _fused_sdp_choice _fused_sgd_ abs abs_ absolute acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint affine_grid_generator alias_copy all allclose alpha_dropout alpha_dropout_ amax amin aminmax angle any arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ as_strided_copy as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d~py:torch.atleast_1d atleast_2d~py:torch.atleast_2d atleast_3d~py:torch.atleast_3d avg_pool1d baddbmm bartlett_window batch_norm batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli bilinear binary_cross_entropy_with_logits bincount binomial bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman_window block_diag~py:torch.block_diag bmm broadcast_tensors~py:torch.broadcast_tensors broadcast_to bucketize can_cast cartesian_prod~py:torch.cartesian_prod cat ccol_indices_copy cdist~py:torch.cdist ceil ceil_ celu celu_ chain_matmul~py:torch.chain_matmul channel_shuffle cholesky cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clear_autocast_cache clip clip_ clone col_indices_copy column_stack combinations compiled_with_cxx11_abi~py:torch.compiled_with_cxx11_abi complex concat concatenate conj conj_physical conj_physical_ constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cross crow_indices_copy ctc_loss cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable cummax cummin cumprod cumsum cumulative_trapezoid deg2rad deg2rad_ dequantize det detach detach_ detach_copy diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff digamma dist div divide dot dropout dropout_ dsmm dsplit dstack einsum~py:torch.einsum embedding embedding_bag embedding_renorm_ empty empty_like empty_permuted empty_quantized empty_strided eq equal erf erf_ erfc erfc_ erfinv exp exp2 exp2_ exp_ expand_copy expm1 expm1_ eye fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ fill fill_ fix fix_ flatten flip fliplr flipud float_power floor floor_ floor_divide fmax fmin fmod fork frac frac_ frexp frobenius_norm from_dlpack~py:torch.from_dlpack from_file from_numpy frombuffer full full_like fused_moving_avg_obs_fake_quant gather gcd gcd_ ge geqrf ger gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt hamming_window hann_window hardshrink hash_tensor heaviside hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm hstack hypot i0 i0_ igamma igammac imag import_ir_module import_ir_module_from_buffer index_add index_copy index_fill index_put index_put_ index_reduce index_select indices_copy inner instance_norm int_repr inverse is_complex is_conj is_distributed is_floating_point is_grad_enabled is_inference is_neg is_nonzero is_same_size is_signed is_storage~py:torch.is_storage is_tensor~py:torch.is_tensor isclose isfinite isin isinf isnan isneginf isposinf isreal istft kaiser_window kl_div kron kthvalue layer_norm lcm lcm_ ldexp ldexp_ le lerp less less_equal lgamma linspace lobpcg~py:torch.lobpcg log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace logsumexp lstm lstm_cell lt lu~py:torch.lu lu_solve lu_unpack margin_ranking_loss masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max max_pool1d max_pool1d_with_indices max_pool2d max_pool3d maximum mean median merge_type_from_type_comment meshgrid~py:torch.meshgrid min minimum miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer mm mode moveaxis movedim msort mul multinomial multiply mv mvlgamma nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm ne neg neg_ negative negative_ nextafter nonzero nonzero_static norm~py:torch.norm norm_except_dim normal not_equal nuclear_norm numel ones ones_like orgqr ormqr outer pairwise_distance parse_ir parse_schema parse_type_comment pca_lowrank~py:torch.pca_lowrank pdist permute permute_copy pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu prod profiler_allow_cudagraph_cupti_lazy_reinit_cuda12~py:torch.profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 promote_types put q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr quantile quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru_cell quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell quantized_rnn_tanh_cell rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like randperm range ravel real reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_ resize_as_sparse_ resolve_conj resolve_neg result_type rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_ rsqrt rsqrt_ rsub saddmm scalar_tensor scatter scatter_add scatter_reduce searchsorted segment_reduce select select_copy select_scatter selu selu_ sgn sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_ sinh sinh_ slice_copy slice_inverse slice_scatter slogdet smm softmax sort sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor split~py:torch.split split_copy split_with_sizes split_with_sizes_copy spmm sqrt sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std std_mean stft~py:torch.stft sub subtract sum svd svd_lowrank~py:torch.svd_lowrank swapaxes swapdims t t_copy take take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot~py:torch.tensordot threshold threshold_ tile to_dlpack~_to_dlpack topk trace transpose transpose_copy trapezoid trapz triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc trunc_ unbind unbind_copy unflatten unfold_copy unify_type_list unique~py:torch.unique unique_consecutive~py:torch.unique_consecutive unravel_index~py:torch.unravel_index unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy values_copy vander var var_mean vdot view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit vstack wait where xlogy xlogy_ zero_ zeros zeros_like",
"torch.fft":"fft~fft_fft fft2~fft_fft2 fftfreq~fft_fftfreq fftn~fft_fftn fftshift~fft_fftshift hfft~fft_hfft hfft2~fft_hfft2 hfftn~fft_hfftn ifft~fft_ifft ifft2~fft_ifft2 ifftn~fft_ifftn ifftshift~fft_ifftshift ihfft~fft_ihfft ihfft2~fft_ihfft2 ihfftn~fft_ihfftn irfft~fft_irfft irfft2~fft_irfft2 irfftn~fft_irfftn rfft~fft_rfft rfft2~fft_rfft2 rfftfreq~fft_rfftfreq rfftn~fft_rfftn",
"torch.linalg":"cholesky~linalg_cholesky cholesky_ex~linalg_cholesky_ex cross~linalg_cross det~linalg_det diagonal~linalg_diagonal eigh~linalg_eigh eigvals~linalg_eigvals eigvalsh~linalg_eigvalsh householder_product~linalg_householder_product inv~linalg_inv inv_ex~linalg_inv_ex ldl_factor~linalg_ldl_factor ldl_factor_ex~linalg_ldl_factor_ex ldl_solve~linalg_ldl_solve lu~linalg_lu lu_factor~linalg_lu_factor lu_factor_ex~linalg_lu_factor_ex lu_solve~linalg_lu_solve matmul~linalg_matmul matrix_exp~linalg_matrix_exp matrix_norm~linalg_matrix_norm matrix_power~linalg_matrix_power multi_dot~linalg_multi_dot norm~linalg_norm pinv~linalg_pinv qr~linalg_qr slogdet~linalg_slogdet solve_ex~linalg_solve_ex solve_triangular~linalg_solve_triangular svd~linalg_svd svdvals~linalg_svdvals tensorinv~linalg_tensorinv tensorsolve~linalg_tensorsolve vander~linalg_vander vecdot~linalg_vecdot vector_norm~linalg_vector_norm",
"torch.nn.functional":"adaptive_avg_pool1d adaptive_avg_pool2d~py:torch.nn.functional.adaptive_avg_pool2d adaptive_avg_pool3d~py:torch.nn.functional.adaptive_avg_pool3d adaptive_max_pool1d~py:torch.nn.functional.adaptive_max_pool1d adaptive_max_pool1d_with_indices~py:torch.nn.functional.adaptive_max_pool1d_with_indices adaptive_max_pool2d~py:torch.nn.functional.adaptive_max_pool2d adaptive_max_pool2d_with_indices~py:torch.nn.functional.adaptive_max_pool2d_with_indices adaptive_max_pool3d~py:torch.nn.functional.adaptive_max_pool3d adaptive_max_pool3d_with_indices~py:torch.nn.functional.adaptive_max_pool3d_with_indices affine_grid~py:torch.nn.functional.affine_grid alpha_dropout~py:torch.nn.functional.alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm~py:torch.nn.functional.batch_norm bilinear binary_cross_entropy~py:torch.nn.functional.binary_cross_entropy binary_cross_entropy_with_logits~py:torch.nn.functional.binary_cross_entropy_with_logits celu~py:torch.nn.functional.celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss~py:torch.nn.functional.cosine_embedding_loss cosine_similarity cross_entropy~py:torch.nn.functional.cross_entropy ctc_loss~py:torch.nn.functional.ctc_loss dropout~py:torch.nn.functional.dropout dropout1d~py:torch.nn.functional.dropout1d dropout2d~py:torch.nn.functional.dropout2d dropout3d~py:torch.nn.functional.dropout3d elu~py:torch.nn.functional.elu elu_ embedding~py:torch.nn.functional.embedding embedding_bag~py:torch.nn.functional.embedding_bag feature_alpha_dropout~py:torch.nn.functional.feature_alpha_dropout fold~py:torch.nn.functional.fold fractional_max_pool2d~py:torch.nn.functional.fractional_max_pool2d fractional_max_pool2d_with_indices~py:torch.nn.functional.fractional_max_pool2d_with_indices fractional_max_pool3d~py:torch.nn.functional.fractional_max_pool3d fractional_max_pool3d_with_indices~py:torch.nn.functional.fractional_max_pool3d_with_indices gaussian_nll_loss~py:torch.nn.functional.gaussian_nll_loss gelu glu~py:torch.nn.functional.glu grid_sample~py:torch.nn.functional.grid_sample group_norm~py:torch.nn.functional.group_norm grouped_mm~py:torch.nn.functional.grouped_mm gumbel_softmax~py:torch.nn.functional.gumbel_softmax hardshrink hardsigmoid~py:torch.nn.functional.hardsigmoid hardswish~py:torch.nn.functional.hardswish hardtanh~py:torch.nn.functional.hardtanh hardtanh_ hinge_embedding_loss~py:torch.nn.functional.hinge_embedding_loss huber_loss~py:torch.nn.functional.huber_loss instance_norm~py:torch.nn.functional.instance_norm interpolate~py:torch.nn.functional.interpolate kl_div~py:torch.nn.functional.kl_div l1_loss~py:torch.nn.functional.l1_loss layer_norm~py:torch.nn.functional.layer_norm leaky_relu~py:torch.nn.functional.leaky_relu leaky_relu_ linear linear_cross_entropy~py:torch.nn.functional.linear_cross_entropy local_response_norm~py:torch.nn.functional.local_response_norm log_softmax~py:torch.nn.functional.log_softmax logsigmoid~log_sigmoid lp_pool1d~py:torch.nn.functional.lp_pool1d lp_pool2d~py:torch.nn.functional.lp_pool2d lp_pool3d~py:torch.nn.functional.lp_pool3d margin_ranking_loss~py:torch.nn.functional.margin_ranking_loss max_pool1d~py:torch.nn.functional.max_pool1d max_pool1d_with_indices~py:torch.nn.functional.max_pool1d_with_indices max_pool2d~py:torch.nn.functional.max_pool2d max_pool2d_with_indices~py:torch.nn.functional.max_pool2d_with_indices max_pool3d~py:torch.nn.functional.max_pool3d max_pool3d_with_indices~py:torch.nn.functional.max_pool3d_with_indices max_unpool1d~py:torch.nn.functional.max_unpool1d max_unpool2d~py:torch.nn.functional.max_unpool2d max_unpool3d~py:torch.nn.functional.max_unpool3d mish~py:torch.nn.functional.mish mse_loss~py:torch.nn.functional.mse_loss multi_head_attention_forward~py:torch.nn.functional.multi_head_attention_forward multi_margin_loss~py:torch.nn.functional.multi_margin_loss multilabel_margin_loss~py:torch.nn.functional.multilabel_margin_loss multilabel_soft_margin_loss~py:torch.nn.functional.multilabel_soft_margin_loss native_channel_shuffle nll_loss~py:torch.nn.functional.nll_loss normalize~py:torch.nn.functional.normalize one_hot pad~py:torch.nn.functional.pad pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss~py:torch.nn.functional.poisson_nll_loss prelu relu~py:torch.nn.functional.relu relu6~py:torch.nn.functional.relu6 relu_ rms_norm~py:torch.nn.functional.rms_norm rrelu~py:torch.nn.functional.rrelu rrelu_ scaled_dot_product_attention scaled_grouped_mm~py:torch.nn.functional.scaled_grouped_mm scaled_mm~py:torch.nn.functional.scaled_mm selu~py:torch.nn.functional.selu selu_ sigmoid~py:torch.nn.functional.sigmoid silu~py:torch.nn.functional.silu smooth_l1_loss~py:torch.nn.functional.smooth_l1_loss soft_margin_loss~py:torch.nn.functional.soft_margin_loss softmax~py:torch.nn.functional.softmax softmin~py:torch.nn.functional.softmin softplus softshrink softsign~py:torch.nn.functional.softsign tanh~py:torch.nn.functional.tanh tanhshrink~py:torch.nn.functional.tanhshrink threshold~py:torch.nn.functional.threshold threshold_ triplet_margin_loss~py:torch.nn.functional.triplet_margin_loss triplet_margin_with_distance_loss~py:torch.nn.functional.triplet_margin_with_distance_loss unfold~py:torch.nn.functional.unfold upsample~py:torch.nn.functional.upsample upsample_bilinear~py:torch.nn.functional.upsample_bilinear upsample_nearest~py:torch.nn.functional.upsample_nearest",
"torch.nn.init":"calculate_gain~py:torch.nn.init.calculate_gain constant~py:torch.nn.init.constant constant_~py:torch.nn.init.constant_ dirac~py:torch.nn.init.dirac dirac_~py:torch.nn.init.dirac_ eye~py:torch.nn.init.eye eye_~py:torch.nn.init.eye_ kaiming_normal~py:torch.nn.init.kaiming_normal kaiming_normal_~py:torch.nn.init.kaiming_normal_ kaiming_uniform~py:torch.nn.init.kaiming_uniform kaiming_uniform_~py:torch.nn.init.kaiming_uniform_ normal~py:torch.nn.init.normal normal_~py:torch.nn.init.normal_ ones_~py:torch.nn.init.ones_ orthogonal~py:torch.nn.init.orthogonal orthogonal_~py:torch.nn.init.orthogonal_ sparse~py:torch.nn.init.sparse sparse_~py:torch.nn.init.sparse_ trunc_normal_~py:torch.nn.init.trunc_normal_ uniform~py:torch.nn.init.uniform uniform_~py:torch.nn.init.uniform_ xavier_normal~py:torch.nn.init.xavier_normal xavier_normal_~py:torch.nn.init.xavier_normal_ xavier_uniform~py:torch.nn.init.xavier_uniform xavier_uniform_~py:torch.nn.init.xavier_uniform_ zeros_~py:torch.nn.init.zeros_",
"torch.special":"airy_ai~special_airy_ai bessel_j0~special_bessel_j0 bessel_j1~special_bessel_j1 bessel_y0~special_bessel_y0 bessel_y1~special_bessel_y1 chebyshev_polynomial_t~special_chebyshev_polynomial_t chebyshev_polynomial_u~special_chebyshev_polynomial_u chebyshev_polynomial_v~special_chebyshev_polynomial_v chebyshev_polynomial_w~special_chebyshev_polynomial_w digamma~special_digamma entr~special_entr erf~special_erf erfc~special_erfc erfcx~special_erfcx erfinv~special_erfinv exp2~special_exp2 expit~special_expit expm1~special_expm1 gammainc~special_gammainc gammaincc~special_gammaincc gammaln~special_gammaln hermite_polynomial_h~special_hermite_polynomial_h hermite_polynomial_he~special_hermite_polynomial_he i0~special_i0 i0e~special_i0e i1~special_i1 i1e~special_i1e laguerre_polynomial_l~special_laguerre_polynomial_l legendre_polynomial_p~special_legendre_polynomial_p log1p~special_log1p log_ndtr~special_log_ndtr log_softmax~special_log_softmax logit~special_logit logsumexp~special_logsumexp modified_bessel_i0~special_modified_bessel_i0 modified_bessel_i1~special_modified_bessel_i1 modified_bessel_k0~special_modified_bessel_k0 modified_bessel_k1~special_modified_bessel_k1 multigammaln~special_multigammaln ndtr~special_ndtr ndtri~special_ndtri polygamma~special_polygamma psi~special_psi round~special_round scaled_modified_bessel_k0~special_scaled_modified_bessel_k0 scaled_modified_bessel_k1~special_scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t~special_shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u~special_shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v~special_shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w~special_shifted_chebyshev_polynomial_w sinc~special_sinc softmax~special_softmax spherical_bessel_j0~special_spherical_bessel_j0 xlog1py~special_xlog1py xlogy~special_xlogy zeta~special_zeta"
},
"signatures":[
"self:t",
"self:t other:t",
"self:tl",
"self:t other:n",
"input:t p:x=0.5 training:b=T inplace:b=F",
"self:tl scalar:n",
"self:tl scalars:v",
"input:t inplace:b=F",
"self:t n:i=N dim:i=-1 norm:s=N",
"input:t p:n train:b",
"self:tl other:tl",
"x:n n:t",
"x:t n:n",
"x:t n:t",
"input:t p:x=0.5 training:b=F inplace:b=F",
"input:t weight:t bias:t=N stride:il=1 padding:s=valid dilation:il=1 groups:i=1",
"self:n other:t",
"self:t dim:i",
"self:t p:n train:b",
"self:t s:il=N dim:il=? norm:s=N",
"self:t s:il=N dim:il=N norm:s=N",
"self:t other:t * alpha:n=1",
"tensors:tl",
"input:t output_size:il return_indices:b=F",
"query:t key:t value:t embed_dim_to_check:i num_heads:i in_proj_weight:t in_proj_bias:t bias_k:t bias_v:t add_zero_attn:b dropout_p:n out_proj_weight:t out_proj_bias:t training:b=T key_padding_mask:t=N need_weights:b=T attn_mask:t=N use_separate_proj_weight:b=F q_proj_weight:t=N k_proj_weight:t=N v_proj_weight:t=N static_k:t=N static_v:t=N average_attn_weights:b=T is_causal:b=F",
"self:t dim:i keepdim:b=F",
"self:t min:t=N max:t=N",
"tensors:tv",
"self:t * memory_format:o=N opts",
"self:t diagonal:i=0",
"self:t dim0:i dim1:i",
"self:t dim:i * dtype:o=N",
"window_length:i * opts",
"window_length:i periodic:b * opts",
"input:t",
"input:t alpha:n=1 inplace:b=F",
"input:t kernel_size:il output_size:il=N output_ratio:x=N return_indices:b=F _random_samples:x=N",
"input:t normalized_shape:il weight:t=N eps:n=N",
"input:t return_inverse:b=F return_counts:b=F dim:x=N",
"input:t sorted:b=T return_inverse:b=F return_counts:b=F dim:x=N",
"input:t target:t log_input:b=T full:b=F size_average:b=N eps:n=1e-08 reduce:b=N reduction:s=mean",
"input:t weight:t offsets:t=N max_norm:n=N norm_type:n=2 scale_grad_by_freq:b=F mode:s=mean sparse:b=F per_sample_weights:t=N include_last_offset:b=F padding_idx:i=N",
"self:t batch1:t batch2:t * beta:n=1 alpha:n=1",
"self:t dim:i index:t src:t",
"self:t dim:i index:t value:n",
"self:t dim:il unbiased:b=T keepdim:b=F",
"self:t dim:v",
"self:t dim:v=N * correction:n=N keepdim:b=F",
"self:t dims:v",
"self:t exponent:t",
"self:t n:i",
"self:t n_fft:i hop_length:i=N win_length:i=N window:t=N center:b=T normalized:b=F onesided:b=N length:i=N return_complex:b=F",
"self:t other:t * rounding_mode:s",
"self:t return_inverse:b=F return_counts:b=F dim:x=N",
"self:t size:v",
"self:t sorted:b=T return_inverse:b=F return_counts:b=F dim:x=N",
"self:t tensor1:t tensor2:t * value:n=1",
"self:t unbiased:b=T",
"self:tl other:t",
"self:tl other:tl * alpha:n=1",
"self:tl tensor1:tl tensor2:tl scalars:il",
"self:tl tensor1:tl tensor2:tl scalars:t",
"self:tl tensor1:tl tensor2:tl value:n=1",
"size:v * opts",
"tensors:tl dim:i=0",
"x:t",
"A:t",
"input:t dim:i=N _stacklevel:i=3 dtype:i=N",
"input:t hx:t w_ih:t w_hh:t b_ih:t=N b_hh:t=N",
"input:t indices:t kernel_size:x stride:x=N padding:x=0 output_size:x=N",
"input:t kernel_size:il stride:il=N padding:il=0 dilation:il=1 ceil_mode:b=F return_indices:b=F",
"input:t pad:il mode:s=constant value:n=N",
"input:t running_mean:t running_var:t weight:t=N bias:t=N training:b=F momentum:n=0.1 eps:n=1e-05",
"input:t weight:t bias:t=N stride:il=1 padding:il=0 dilation:il=1 groups:i=1",
"input:t weight:t bias:t=N stride:il=1 padding:il=0 output_padding:il=0 groups:i=1 dilation:il=1",
"log_probs:t targets:t input_lengths:t target_lengths:t blank:i=0 reduction:s=mean zero_infinity:b=F",
"query:t key:t value:t attn_mask:t=N dropout_p:n=0.0 is_causal:b=F * scale:n=N enable_gqa:b=F",
"self:t * correction:i=1 fweights:t=N aweights:t=N",
"self:t * dtype:o=N",
"self:t dim:i dtype:o=N",
"self:t eps:n=N",
"self:t exponent:n",
"self:t min:n=N max:n=N",
"self:t p:i",
"self:t p:n=2",
"self:t sections:i",
"self:t size:il stride:il storage_offset:i=N",
"self:t size:v * opts",
"self:t split_sizes:il dim:i=0",
"tensor:t",
"tensor:t gain:n=1 generator:x=N",
"x1:t x2:t p:x=2 compute_mode:x=use_mm_for_euclid_dist_if_necessary",
"y:t * dx:n=1 dim:i=-1",
"y:t x:t * dim:i=-1",
"A:t * pivot:b=T",
"A:t pivot:b=T get_infos:b=F out:t=N",
"input1:t input2:t target:t margin:n=0 size_average:b=N reduce:b=N reduction:s=mean",
"input:t grid:t interpolation_mode:i padding_mode:i align_corners:b",
"input:t kernel_size:il stride:il=N padding:il=0 dilation:il=1 return_indices:b=F ceil_mode:b=F",
"input:t lower:n=0.125 upper:n=0.333333 training:b=F inplace:b=F",
"input:t min_val:n=-1 max_val:n=1 inplace:b=F",
"input:t n_fft:i hop_length:i=N win_length:i=N window:t=N center:b=T pad_mode:s=reflect normalized:b=F onesided:b=N return_complex:b=N align_to_window:b=N",
"input:t negative_slope:n=0.01 inplace:b=F",
"input:t output_size:x",
"input:t p:x=fro dim:x=N keepdim:b=F out:t=N dtype:x=N",
"input:t running_mean:t=N running_var:t=N weight:t=N bias:t=N use_input_stats:b=T momentum:n=0.1 eps:n=1e-05",
"input:t size:x=N scale_factor:x=N",
"input:t size:x=N scale_factor:x=N mode:s=nearest align_corners:b=N recompute_scale_factor:b=N antialias:b=F",
"input:t target:t size_average:b=N reduce:b=N reduction:s=mean",
"input:t target:t size_average:b=N reduce:b=N reduction:s=mean log_target:b=F",
"input:t target:t size_average:b=N reduce:b=N reduction:s=mean weight:t=N",
"input:t target:t weight:t=N size_average:b=N reduce:b=N reduction:s=mean",
"input:t threshold:n value:n inplace:b=F",
"input:t weight:t bias:t running_mean:t running_var:t training:b momentum:n eps:n cudnn_enabled:b",
"input:t weight:t padding_idx:i=N max_norm:n=N norm_type:n=2 scale_grad_by_freq:b=F sparse:b=F",
"logits:t tau:n=1 hard:b=F eps:n=1e-10 dim:i=-1",
"n:i * opts",
"n:i d:n=1.0 * opts",
"row:i col:i offset:i=0 * opts",
"self:t * decimals:i",
"self:t * generator:o memory_format:o=N opts",
"self:t * generator:o=N",
"self:t * layout:o=N blocksize:il=N dense_dim:i=N",
"self:t * memory_format:o=N",
"self:t * spacing:n=N dim:i=N edge_order:i=1",
"self:t * stable:b dim:i=-1 descending:b=F",
"self:t UPLO:s=L",
"self:t alpha:n=1.0",
"self:t axis0:i axis1:i",
"self:t blocksize:il dense_dim:i=N",
"self:t chunks:i dim:i=0",
"self:t dense_dim:i=N",
"self:t dim:i index:i",
"self:t dim:i index:t source:t",
"self:t dim:i index:t source:t * alpha:n=1",
"self:t dim:i index:t source:t reduce:s * include_self:b=T",
"self:t dim:i index:t src:t * reduce:s",
"self:t dim:i index:t src:t reduce:s * include_self:b=T",
"self:t dim:i index:t value:n * reduce:s",
"self:t dim:i index:t value:t",
"self:t dim:i start:i length:i",
"self:t dim:i=-1 descending:b=F",
"self:t dim:i=0",
"self:t dim:i=N keepdim:b=F",
"self:t dim:il keepdim:b=F",
"self:t dim:il keepdim:b=F * dtype:o=N",
"self:t dim:il=? keepdim:b=F",
"self:t dim:il=N keepdim:b=F",
"self:t dim:il=N keepdim:b=F * dtype:o=N",
"self:t dim:v=N",
"self:t dimension:i size:i step:i",
"self:t dtype:o",
"self:t end:t weight:n",
"self:t end:t weight:t",
"self:t index:t source:t accumulate:b=F",
"self:t indices:t dim:i=N",
"self:t indices:tl values:t accumulate:b=F",
"self:t kernel_size:il stride:il=? padding:il=0 ceil_mode:b=F count_include_pad:b=T divisor_override:i=N",
"self:t lambd:n=0.5",
"self:t lower:n=0.125 upper:n=0.3333333333333333 training:b=F generator:o=N",
"self:t mask:t",
"self:t mask:t source:t",
"self:t mask:t value:n",
"self:t mask:t value:t",
"self:t mat1:t mat2:t * beta:n=1 alpha:n=1",
"self:t mat2:t",
"self:t mat2:t out_dtype:o",
"self:t mat:t vec:t * beta:n=1 alpha:n=1",
"self:t max:n",
"self:t max:t",
"self:t min:n",
"self:t min:t",
"self:t n_fft:i hop_length:i=N win_length:i=N window:t=N center:b=T pad_mode:s=reflect normalized:b=F onesided:b=N return_complex:b=N align_to_window:b=N",
"self:t nan:n=N posinf:n=N neginf:n=N",
"self:t offset:i=0 dim1:i=0 dim2:i=1",
"self:t ord:n dim:il=? keepdim:b=F * dtype:o=N",
"self:t ord:n=N dim:il=N keepdim:b=F * dtype:o=N",
"self:t ord:s dim:il=N keepdim:b=F * dtype:o=N",
"self:t ord:s=fro dim:il=? keepdim:b=F * dtype:o=N",
"self:t other:n * rounding_mode:s",
"self:t other:t dims:il=N",
"self:t other:t rtol:n=1e-05 atol:n=1e-08 equal_nan:b=F",
"self:t output_size:v",
"self:t p:n * generator:o=N",
"self:t p:n dim:i maxnorm:n",
"self:t p:x=fro dim:x=N keepdim:b=F dtype:x=N",
"self:t pivot:b=T get_infos:b=F",
"self:t q:n dim:i=N keepdim:b=F * interpolation:s=linear",
"self:t q:t dim:i=N keepdim:b=F * interpolation:s=linear",
"self:t size:il sparse_dim:i dense_dim:i",
"self:t size:v * implicit:b=F",
"self:t source:il destination:il",
"self:t sparse_dim:i",
"self:t split_size:i dim:i=0",
"self:t src:t dim:i=0 start:i=N end:i=N step:i=1",
"self:t target:t reduction:i=? * log_target:b=F",
"self:t tensor:t",
"self:t threshold:n value:n",
"self:t upper:b=F",
"self:t value:n",
"self:t value:t",
"self:t values:t",
"self:t vec1:t vec2:t * beta:n=1 alpha:n=1",
"self:t vec2:t",
"self:tl exponent:n",
"self:tl exponent:tl",
"self:tl exponent:v",
"self:tl grads:tl exp_avgs:tl exp_avg_sqs:tl max_exp_avg_sqs:tl state_steps:tl * lr:n beta1:n beta2:n weight_decay:n eps:n amsgrad:b maximize:b grad_scale:t=N found_inf:t=N",
"self:tl grads:tl exp_avgs:tl exp_avg_sqs:tl max_exp_avg_sqs:tl state_steps:tl * lr:t beta1:n beta2:n weight_decay:n eps:n amsgrad:b maximize:b grad_scale:t=N found_inf:t=N",
"self:tl ord:n=2 dtype:o=N",
"self:tl other:t * alpha:n=1",
"self:tl tensors1:tl weight:il",
"self:tl tensors1:tl weight:n",
"self:tl tensors1:tl weights:tl",
"size:v * generator:o opts",
"tensor:t a:n=0 mode:x=fan_in nonlinearity:x=leaky_relu generator:x=N"
],
"torch":"2.13.0"
}
