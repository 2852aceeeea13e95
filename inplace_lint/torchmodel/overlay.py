"""Holds the hand-written op table entries, for what the derivation cannot see.

A row is `variants|overload|parameters|behaviour|condition` (`facts` explains the behaviour); code `x` accepts any
argument, `rest:k` any further ones. An entry replaces the derived group of its name, which the data file leaves out.
Every entry has its repro in tests/torchmodel/test_overlay.py.
"""

from __future__ import annotations

_REST = "self:t rest:k"
_BATCH_NORM = (
    "input:t running_mean:t running_var:t weight:t=N bias:t=N training:b=F momentum:n=0.1 eps:n=1e-05"
)
_TO_DEVICE = "self:t device:o=N dtype:o=N non_blocking:b=F copy:b=F * memory_format:o=N"

# Methods that return no tensor and write nothing.
_NO_TENSOR = (
    *(
        "size",
        "dim",
        "ndimension",
        "numel",
        "nelement",
        "stride",
        "storage_offset",
        "element_size",
        "data_ptr",
        "item",
    ),
    *(
        "tolist",
        "numpy",
        "get_device",
        "is_complex",
        "is_conj",
        "is_contiguous",
        "is_distributed",
        "is_floating_point",
    ),
    *(
        "is_inference",
        "is_neg",
        "is_nonzero",
        "is_signed",
        "is_pinned",
        "const_data_ptr",
        "storage",
    ),
    *(
        "untyped_storage",
        "pym:storage",
        "pym:storage_type",
        "pym:is_shared",
        "pym:dim_order",
    ),
    *(
        "pym:backward",
        "pym:register_hook",
        "pym:register_post_accumulate_grad_hook",
        "retain_grad",
    ),
    *(
        "__bool__",
        "__complex__",
        "__float__",
        "__index__",
        "__int__",
        "__long__",
        "__nonzero__",
        "__sizeof__",
    ),
    *(
        "__len__",
        "__contains__",
        "__array__",
        "is_same_size",
    ),
)
_NO_TENSOR_FUNCTIONS = (
    *(
        "py:torch.is_tensor",
        "py:torch.is_storage",
        "is_grad_enabled",
        "can_cast",
        "promote_types",
        "result_type",
    ),
    *("cudnn_is_acceptable", "py:torch.nn.init.calculate_gain"),
)

# Conversions return the tensor itself if it has the dtype or is on the device already, else a copy.
_FLOATS = ("float", "double", "half", "bfloat16")
_INTS = ("int", "long", "short", "byte", "char")
_DEVICES = ("cpu", "cuda", "xpu", "ipu", "mtia")

_FACTORIES = {
    "tensor": "data:x * opts",
    "new_tensor": "self:t data:x * opts",
    "new": _REST,
    "frombuffer": "buffer:x rest:k",
    "range": "start:n end:n step:n=1 * opts",
    **dict.fromkeys(("sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor"), "indices:x rest:k"),
    **dict.fromkeys(
        ("sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor"), "indices:x rest:k"
    ),
}

# These alias their argument if they can: `as_tensor` of a tensor returns that tensor.
_SHARING = {
    "as_tensor": "data:x rest:k",
    "asarray": "obj:x rest:k",
    "from_numpy": "ndarray:x",
    "py:torch.from_dlpack": "ext_tensor:x rest:k",
}

GROUPS: dict[str, list[str]] = {
    # Observed "sometimes": with beta=0 it is another op, the L1 loss.
    "py:torch.nn.functional.smooth_l1_loss": [
        "f||input:t target:t size_average:b=N reduce:b=N reduction:s=mean beta:n=1"
        "|SmoothL1LossBackward0(self=input,target) -> new:s"
    ],
    **{name: [f"m||{_REST}|nodiff -> other"] for name in _NO_TENSOR},
    **{
        name: [f"fm||{_REST}|nodiff -> other"]
        for name in ("numel", "is_complex", "is_floating_point", "is_nonzero")
    },
    **{name: [f"fm||{_REST}|nodiff -> other"] for name in ("is_conj", "is_neg", "is_signed", "is_inference")},
    **{name: ["f||input:x rest:k|nodiff -> other"] for name in _NO_TENSOR_FUNCTIONS},
    **{name: ["m||self:t * memory_format:o=?|ToCopyBackward0() -> maybe(self):f"] for name in _FLOATS},
    **{name: ["m||self:t * memory_format:o=?|nodiff -> maybe(self):i!"] for name in _INTS},
    "bool": ["m||self:t * memory_format:o=?|nodiff -> maybe(self):b!"],
    "cfloat": ["m||self:t * memory_format:o=?|ToCopyBackward0() -> maybe(self):c"],
    "cdouble": ["m||self:t * memory_format:o=?|ToCopyBackward0() -> maybe(self):c"],
    **{name: ["m||self:t rest:k|ToCopyBackward0() -> maybe(self):s"] for name in _DEVICES},
    "pin_memory": [f"m||{_REST}|nodiff -> maybe(self):s"],
    "to": [
        "m|other|self:t other:t non_blocking:b=F copy:b=F * memory_format:o=N|ToCopyBackward0() d:self -> maybe(self)",
        f"m|device|{_TO_DEVICE}|ToCopyBackward0() -> new|copy==T",
        f"m|device|{_TO_DEVICE}|ToCopyBackward0() -> maybe(self)|copy!=T",
        "m|dtype|self:t dtype:o non_blocking:b=F copy:b=F * memory_format:o=N|ToCopyBackward0() -> new|copy==T",
        "m|dtype|self:t dtype:o non_blocking:b=F copy:b=F * memory_format:o=N|ToCopyBackward0() -> maybe(self)|copy!=T",
    ],
    "type": ["m||self:t dtype:x=N rest:k|ToCopyBackward0() -> maybe(self)"],
    "copy_": ["m||self:t src:t non_blocking:b=F|CopyBackwards() d:src w:self over -> same(self)"],
    "detach": ["fm||self:t|nodiff detach -> view(self):s!"],
    "detach_": ["fm||self:t|nodiff detach -> same(self)!"],
    "requires_grad_": ["m||self:t requires_grad:b=T|-> same(self)"],
    "pym:share_memory_": ["m||self:t|nodiff -> same(self)"],
    # These write the data without bumping the version counter.
    "apply_": ["m||self:t callable:x|w!:self nodiff -> same(self)"],
    "map_": ["m||self:t tensor:t callable:x|w!:self nodiff -> same(self)"],
    "map2_": ["m||self:t x:t y:t callable:x|w!:self nodiff -> same(self)"],
    "set_": ["m||self:t rest:k|w:self nodiff over -> same(self)"],
    "_coalesced_": ["m||self:t coalesced:b|w:self meta nodiff -> same(self)"],
    # In training the node saves the statistics and checks their versions, though backward does not read them.
    "py:torch.nn.functional.batch_norm": [
        f"f||{_BATCH_NORM}|NativeBatchNormBackward0(input,running_mean,running_var,weight) d:input+weight+bias "
        "-> new:s|training==F",
        f"f||{_BATCH_NORM}|NativeBatchNormBackward0(input,running_mean,running_var,weight) d:input+weight+bias "
        "w!:running_mean+running_var -> new:s|training!=F",
    ],
    "as_subclass": ["m||self:t cls:x|AliasBackward0() -> view(self):s"],
    "prop:data": ["m||self:t|nodiff data -> view(self):s!"],
    "prop:grad": ["m||self:t|nodiff -> new:s!"],
    "prop:T": ["m||self:t|PermuteBackward0() -> view(self):s"],
    "prop:mT": ["m||self:t|TransposeBackward0() -> view(self):s"],
    "prop:H": ["m||self:t|TransposeBackward0() -> view(self):s"],
    "prop:mH": ["m||self:t|TransposeBackward0() -> view(self):s"],
    "prop:real": ["m||self:t|-> maybe(self):f"],
    "prop:imag": ["m||self:t|-> view(self):f"],
    # The order matters: an index that is not known to be basic may be either.
    "op:getitem": [
        "m|Tensor|self:t index:t|IndexBackward0(indices=index) d:self -> new:s",
        "m|Tensors|self:t index:tl|IndexBackward0(indices=index) d:self -> new:s",
        "m|any|self:t index:o|-> maybe(self):s",
        "m|basic|self:t index:i|SliceBackward0() -> view(self):s",
    ],
    "op:setitem": [
        "m|Tensor|self:t index:t value:x|IndexPutBackward0(indices=index) d:self+value w:self -> other",
        "m|Tensors|self:t index:tl value:x|IndexPutBackward0(indices=index) d:self+value w:self -> other",
        "m|any|self:t index:o value:x|CopySlices() d:self+value w:self -> other",
        "m|basic|self:t index:i value:x|CopySlices() d:self+value w:self -> other",
    ],
    "nonzero": [
        "fm||self:t * as_tuple:b=F|nodiff -> new:i!|as_tuple==F",
        "f||self:t * as_tuple:b=F|nodiff -> list:i!|as_tuple!=F",
        "m||self:t * as_tuple:b=F|nodiff -> list:i!|as_tuple!=F",
    ],
    # Saves the operands; only if batch dimensions are broadcast, copies of them.
    **{
        name: ["fmo||self:t other:t|MmBackward0(self?other,mat2=other?self) -> new:s"]
        for name in ("matmul", "linalg_matmul")
    },
    "py:torch.einsum": [
        "f||equation:s operand:t|-> maybe(operand):s",
        "f||equation:s operands:tv|BmmBackward0(self=operands?others) -> new:s",
    ],
    # Fused kernels save everything; the composed one saves `value` and the attention weights, an internal tensor.
    "scaled_dot_product_attention": [
        "f||query:t key:t value:t attn_mask:t=N dropout_p:n=0.0 is_causal:b=F * scale:n=N enable_gqa:b=F"
        "|BmmBackward0(mat2=value?query+key) "
        "ScaledDotProductFlashAttentionBackward0(query@fused_kernel,key@fused_kernel,"
        "value@fused_kernel,attn_mask?query+key+value@fused_kernel,output=r0@fused_kernel) -> new:s"
    ],
    "op:pos": ["m||self:t|-> same(self)"],
    # `2 / x` computes `x.reciprocal() * 2`: it saves that temporary, not `x`.
    "op:div": [
        "m|Tensor|self:t other:t|DivBackward0(other,self?other) -> new:f",
        "m|reflected|self:n other:t|ReciprocalBackward0() -> new:f",
    ],
    **{name: [f"fm||{params}|nodiff factory -> new"] for name, params in _FACTORIES.items()},
    **{
        name: [f"f||{params}|nodiff -> maybe({params.partition(':')[0]})"]
        for name, params in _SHARING.items()
    },
}

#: Modules, as in the table: constructor, call, whether they have weights, then one row per configuration.
MODULES: dict[str, list[str]] = {
    # The targets, classes or probabilities, are saved; only of smoothed probabilities a copy is saved instead.
    "CrossEntropyLoss": [
        "weight:t=N size_average:x=N ignore_index:x=-100 reduce:x=N reduction:x=mean label_smoothing:x=0",
        "input:t target:t",
        "",
        "NllLossBackward0(target?input) -> new:s|label_smoothing==0",
        "NllLossBackward0(~target?input) -> new:s|label_smoothing!=0",
    ],
    # With batch_first the input is transposed, and copied for the product; a single query needs no copy.
    "MultiheadAttention": [
        "embed_dim:x num_heads:x dropout:x=0 bias:b=T add_bias_kv:b=F add_zero_attn:b=F kdim:x=N vdim:x=N "
        "batch_first:b=F",
        "query:t key:t value:t key_padding_mask:t=N need_weights:b=T attn_mask:t=N average_attn_weights:b=T "
        "is_causal:b=F",
        "1",
        *(
            f"AddmmBackward0({saves},mat2=weight*) d:query+key+value+weight* -> new:s,{weights}"
            f"|need_weights{asked}&batch_first{turned}"
            for asked, weights in (("==F", "other"), ("!=F", "new:s"))
            for turned, saves in (
                ("==F", "mat1=key?weight*,mat1=query?weight*,mat1=value?weight*"),
                ("!=F", "~mat1=query?weight*"),
            )
        ),
    ],
}
