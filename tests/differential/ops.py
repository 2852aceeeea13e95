"""The operations that random programs are drawn from: templates, grouped by what they ask of their operands.

A template names its operands: `{x}`, `{y}`, `{z}` are floating tensors, `{i}` is an integer tensor, `{m}` a
mask. The group says which shapes fit and which shape results; in these programs most axes have length 4.
"""

from __future__ import annotations


def _templates(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


#: Group -> templates of expressions whose value is a new tensor.
FRESH: dict[str, tuple[str, ...]] = {
    # any shape -> the same shape
    "unary": _templates("""
        torch.exp({x}); {x}.exp(); {x}.expm1(); torch.log1p({x}.abs()); {x}.log(); {x}.sqrt();
        torch.sqrt({x}); {x}.rsqrt(); torch.sigmoid({x}); {x}.sigmoid(); F.sigmoid({x}); torch.tanh({x});
        {x}.tanh(); F.relu({x}); torch.relu({x}); {x}.relu(); {x}.sin(); torch.cos({x}); {x}.tan();
        {x}.atan(); {x}.asinh(); {x}.sinh(); torch.cosh({x}); {x}.erf(); {x}.erfc(); {x}.reciprocal();
        {x}.square(); {x}.abs(); -{x}; {x}.neg(); torch.sign({x}); {x}.floor(); F.softplus({x});
        F.silu({x}); F.gelu({x}); F.leaky_relu({x}, 0.1); F.elu({x}); F.selu({x}); F.celu({x});
        F.relu6({x}); F.hardtanh({x}); F.hardswish({x}); F.hardsigmoid({x}); F.mish({x}); F.softsign({x});
        F.logsigmoid({x}); F.tanhshrink({x}); F.softshrink({x}); F.hardshrink({x});
        F.threshold({x}, 0.1, 0.0); F.dropout({x}, 0.5); {x}.clamp(0.1, 0.9); torch.clamp({x}, min=0.2);
        {x}.clamp_min(0.0); {x} ** 2; {x}.pow(3); {x} ** 0.5; 2 ** {x}; {x} * 2.0; 3.0 * {x}; {x} + 1;
        1 - {x}; {x} - 0.5; {x} / 2; 1.0 / {x}; torch.mul({x}, 0.5); {x}.add(1.0); {x}.nan_to_num();
        {x}.clone(); torch.log2({x}); {x}.exp2(); torch.round({x}); {x}.frac(); {x}.lgamma();
        torch.logit({x}, 0.1); {x}.masked_fill({x} > 0.5, 0.0); torch.where({x} > 0.2, {x}, 0.0);
        torch.where({x} > 0.2, {x}.exp(), {x}); {x}.float().clone(); {x}.double().float();
        torch.xlogy({x}, 2.0); {x}.sinc(); {x}.digamma()
    """),
    # at least one axis -> the same shape
    "along": _templates("""
        F.softmax({x}, dim=-1); {x}.softmax(-1); torch.softmax({x}, dim=0); F.log_softmax({x}, dim=-1);
        F.softmin({x}, dim=-1); {x}.cumsum(0); torch.cumsum({x}, dim=-1); {x}.cumprod(-1);
        torch.logcumsumexp({x}, dim=0); {x}.flip(0); torch.roll({x}, 1); F.normalize({x}, dim=-1);
        {x}.sort(dim=-1).values; {x}.cummax(0).values; {x} / {x}.sum(-1, keepdim=True);
        {x} - {x}.mean(-1, keepdim=True); {x} * {x}.amax(-1, keepdim=True); torch.sort({x}, dim=0)[0]
    """),
    # the last axis has length 4 -> the same shape
    "last4": _templates("""
        F.layer_norm({x}, (4,)); F.layer_norm({x}, [4], eps=1e-6); F.rms_norm({x}, (4,))
    """),
    # shapes that broadcast -> their broadcast shape
    "binary": _templates("""
        {x} + {y}; {x} - {y}; {x} * {y}; {x} / {y}; torch.add({x}, {y}, alpha=2); {x}.mul({y});
        torch.div({x}, {y}); {x}.sub({y}); torch.maximum({x}, {y}); torch.minimum({x}, {y});
        torch.atan2({x}, {y}); torch.hypot({x}, {y}); torch.pow({x}, {y}); {x} ** {y}; torch.fmod({x}, {y});
        {x}.remainder({y}); torch.logaddexp({x}, {y}); torch.lerp({x}, {y}, 0.3);
        torch.addcmul({x}, {x}, {y}); torch.where({x} > {y}, {x}, {y}); torch.fmax({x}, {y});
        {x}.xlogy({y}); torch.addcdiv({x}, {x}, {y})
    """),
    "ternary": _templates("""
        torch.addcmul({x}, {y}, {z}, value=0.5); torch.lerp({x}, {y}, {z}); {x} * {y} + {z};
        ({x} - {y}) / {z}; torch.addcdiv({x}, {y}, {z}); {x} + {y} * {z}
    """),
    # same shapes -> a number
    "loss": _templates("""
        F.mse_loss({x}, {y}); F.l1_loss({x}, {y}); F.smooth_l1_loss({x}, {y}); F.huber_loss({x}, {y});
        F.binary_cross_entropy_with_logits({x}, {y}.detach()); F.kl_div({x}, {y}, reduction="sum");
        torch.dist({x}, {y})
    """),
    "reduce": _templates("""
        {x}.sum(); {x}.mean(); torch.prod({x}); {x}.max(); torch.min({x}); {x}.amax(); {x}.norm();
        {x}.std(); {x}.var(); torch.sum({x} * 2.0); {x}.logsumexp(0).sum(); torch.linalg.vector_norm({x})
    """),
    # at least one axis -> without the last
    "reduce_last": _templates("""
        {x}.sum(-1); {x}.mean(dim=-1); {x}.prod(-1); {x}.amax(-1); {x}.norm(dim=-1); {x}.std(-1);
        {x}.var(-1); torch.logsumexp({x}, dim=-1); {x}.max(-1).values; torch.max({x}, dim=-1)[0];
        {x}.median(-1).values
    """),
    "reduce_keep": _templates("""
        {x}.sum(-1, keepdim=True); {x}.mean(-1, keepdim=True); {x}.amax(-1, keepdim=True);
        {x}.norm(dim=-1, keepdim=True); {x}.logsumexp(-1, keepdim=True); {x}.std(-1, keepdim=True)
    """),
    # (…, 4) and (4, 4) -> the first shape
    "matmul": _templates("""
        {x} @ {y}; torch.matmul({x}, {y}); {x}.matmul({y}); F.linear({x}, {y});
        torch.einsum("...i,ij->...j", {x}, {y})
    """),
    # (4, 4) and (4, 4) -> (4, 4)
    "square": _templates("""
        torch.mm({x}, {y}); {x}.mm({y}); torch.einsum("ij,jk->ik", {x}, {y}); torch.addmm({x}, {x}, {y});
        F.linear({x}, {y}, {y}[0]); torch.tril({x}) + {y}; {x}.triu() * {y}; torch.cdist({x}, {y});
        F.batch_norm({x}, None, None, {y}[0], None, training=True); F.group_norm({x}, 2);
        F.bilinear({x}, {y}, {y}.expand(4, 4, 4)); torch.einsum("ij,ij->ij", {x}, {y});
        torch.baddbmm({x}[None], {x}[None], {y}[None])[0].clone()
    """),
    # (2, 4, 4) and (2, 4, 4) -> (2, 4, 4)
    "batched": _templates("""
        torch.bmm({x}, {y}); {x}.bmm({y}); {x} @ {y}; torch.einsum("bij,bjk->bik", {x}, {y});
        torch.baddbmm({x}, {x}, {y}); torch.matmul({x}, {y}.transpose(1, 2)); F.instance_norm({x}) + {y}
    """),
    "pooled": _templates("F.conv1d({x}, {y})"),
    # (4,) and (4,) -> (4, 4), and -> a number
    "outer": _templates('torch.outer({x}, {y}); torch.einsum("i,j->ij", {x}, {y}); {x}[:, None] * {y}'),
    "dot": _templates("torch.dot({x}, {y}); {x} @ {y}; F.cosine_similarity({x}, {y}, dim=0)"),
    # same shapes -> one axis more, or a longer first axis
    "stack": _templates("torch.stack([{x}, {y}]); torch.stack(({x}, {y}), dim=0)"),
    "cat": _templates("torch.cat([{x}, {y}]); torch.cat(({x}, {y}), dim=0)"),
    # integer operands: (4, 4) with (4, 4), and with (4,)
    "gather": _templates("""
        torch.gather({x}, 1, {i}); {x}.gather(0, {i}); torch.take_along_dim({x}, {i}, dim=1);
        torch.zeros(4, 4).scatter_add(1, {i}, {x}); {x}.scatter(1, {i}, 0.5)
    """),
    "rows": _templates("""
        torch.index_select({x}, 0, {i}); {x}[{i}]; {x}.index_add(0, {i}, {x}); F.embedding({i}, {x});
        {x}.index_fill(0, {i}, 0.0); {x}[:, {i}]; torch.index_select({x}, 1, {i})
    """),
    "targets": _templates("F.cross_entropy({x}, {i}); F.nll_loss(F.log_softmax({x}, -1), {i})"),
    # a mask of the same shape
    "masked": _templates("""
        torch.where({m}, {x}, {y}); {x}.masked_fill({m}, 0.0); torch.where({m}, {x}, 0.0); {x} * {m};
        {x}.masked_fill({m}, 1e-3) + {y}; torch.where({m}, {y}, {x}.exp())
    """),
}

#: Calls that write `{x}`; those of `unary` and `binary` return `{x}` itself.
WRITE_CALLS: dict[str, tuple[str, ...]] = {
    "unary": _templates("""
        {x}.exp_(); {x}.sigmoid_(); {x}.tanh_(); {x}.relu_(); {x}.sqrt_(); {x}.rsqrt_(); {x}.log_();
        {x}.log1p_(); {x}.expm1_(); {x}.neg_(); {x}.abs_(); {x}.sin_(); {x}.cos_(); {x}.reciprocal_();
        {x}.square_(); {x}.erf_(); {x}.floor_(); {x}.round_(); {x}.sign_(); {x}.zero_(); {x}.fill_(0.5);
        {x}.clamp_(0.1, 0.9); {x}.clamp_min_(0.1); {x}.clamp_(min=0.0); {x}.add_(1); {x}.sub_(0.5);
        {x}.mul_(2.0); {x}.div_(2); {x}.pow_(2); {x}.add_(1.0, alpha=0.5); {x}.nan_to_num_();
        {x}.uniform_(); {x}.normal_(); {x}.fmod_(0.7); {x}.atan_(); {x}.masked_fill_({x} > 0.5, 0.0);
        torch.relu_({x}); torch.sigmoid_({x}); torch.exp_({x}); torch.tanh_({x});
        torch.clamp_({x}, 0.0, 1.0); torch.neg_({x}); F.relu({x}, inplace=True); F.relu_({x});
        F.elu({x}, inplace=True); F.leaky_relu({x}, 0.1, inplace=True); F.silu({x}, inplace=True);
        F.dropout({x}, 0.5, inplace=True); F.hardtanh({x}, inplace=True); F.relu6({x}, inplace=True);
        F.selu({x}, inplace=True); F.hardswish({x}, inplace=True); F.mish({x}, inplace=True);
        F.leaky_relu_({x}); nn.init.zeros_({x}); nn.init.constant_({x}, 0.5);
        F.threshold({x}, 0.1, 0.0, inplace=True); torch.fill_({x}, 0.3); {x}.exponential_();
        {x}.bernoulli_(0.5); {x}.sinh_(); {x}.tan_(); F.celu({x}, inplace=True); {x}.exp2_()
    """),
    "along": _templates("""
        {x}[0].add_(1); {x}[-1].zero_(); {x}[1:].mul_(0.5); {x}[:2].fill_(0.1); {x}.cumsum_(0);
        {x}.cumprod_(-1); {x}[..., 0].exp_(); {x}.index_fill_(0, torch.tensor([0]), 0.0);
        {x}.select(0, 1).neg_(); {x}.narrow(0, 0, 2).sigmoid_(); {x}.unsqueeze(0).add_(1);
        {x}[0].copy_({x}[1].clone())
    """),
    "binary": _templates("""
        {x}.add_({y}); {x}.sub_({y}); {x}.mul_({y}); {x}.div_({y}); {x}.copy_({y});
        {x}.add_({y}, alpha=0.1); {x}.lerp_({y}, 0.2); {x}.addcmul_({y}, {y}); {x}.pow_({y});
        {x}.atan2_({y}); {x}.mul_({y}.sigmoid()); {x}.copy_({y}.exp()); {x}.add_({y}.tanh());
        {x}.mul_({y}.detach()); {x}.fmod_({y}); {x}.hypot_({y}); {x}.addcdiv_({y}, {y});
        {x}.masked_fill_({y} > 0.5, 0.1)
    """),
    "square": _templates("""
        {x}.addmm_({y}, {y}); {x}.tril_(); {x}.triu_(); {x}.t().add_({y}); {x}.t_(); {x}.transpose_(0, 1);
        {x}.fill_diagonal_(0.0); {x}.index_copy_(0, torch.tensor([1]), {y}[:1])
    """),
    "gather": _templates("""
        {x}.scatter_(1, {i}, 0.5); {x}.scatter_add_(1, {i}, {y}); {x}.scatter_(1, {i}, {y})
    """),
    "rows": _templates("""
        {x}.index_add_(0, {i}, {y}); {x}.index_fill_(0, {i}, 0.5); {x}.index_copy_(0, {i}, {y})
    """),
    "masked": _templates("{x}.masked_fill_({m}, 0.0); {x}.masked_scatter_({m}, {y})"),
}

#: Assignments that write; they have no value.
WRITE_ASSIGNS: dict[str, tuple[str, ...]] = {
    "unary": _templates("""
        {x} += 1; {x} *= 2; {x} -= 0.5; {x} /= 2.0; {x} **= 2; {x}[...] = 0.5; {x}[{x} > 0.5] = 0.0
    """),
    "along": _templates("""
        {x}[0] = 0.5; {x}[1:] += 1; {x}[..., 0] *= 2; {x}[-1] = {x}[0].exp(); {x}[:1] = 0.0;
        {x}[0] += {x}[1]
    """),
    "binary": _templates("{x} += {y}; {x} *= {y}; {x} -= {y}; {x} /= {y}; {x}[...] = {y}; {x} **= {y}"),
    "rest": _templates("{x}[0] = {y}; {x}[1] += {y}; {x}[-1] *= {y}; {x}[0] = {y}.sigmoid()"),  # y like x[0]
    "square": _templates("""
        {x}[:, 0] = {y}[0]; {x}[1:, :2] = 0.0; {x}[0, 1:] *= 2; {x}[:, 1:] += {y}[:, 1:]
    """),
    "rows": _templates("{x}[{i}] = 0.5; {x}[{i}] += 1; {x}[{i}] = {y}"),
    "masked": _templates("{x}[{m}] = 0.0; {x}[{m}] += 1; {x}[{m}] = {y}[{m}]"),
}

#: `out=`: legal only where nothing requires grad.
WRITE_OUT = _templates("""
        torch.exp({y}, out={x}); torch.mul({y}, {y}, out={x});
        torch.sigmoid({y}, out={x}); torch.add({y}, 1, out={x})
    """)

WRITE_INTS = _templates("""
        {i}.zero_(); {i}.fill_(1); {i}.clamp_(0, 2); {i}.clamp_(max=1); {i}[0] = 1; {i} %= 2; {i}[1:] = 0;
        {i}.copy_({i}.clone()); {i} //= 2
    """)
WRITE_MASKS = _templates("""
        {m}.fill_(True); {m}.logical_not_(); {m}[0] = True; {m}.zero_(); {m} &= {m}.clone(); {m} |= ~{m}
    """)

#: Views of any tensor with the flags that matter: (template, group, keeps contiguity).
VIEWS: dict[str, tuple[str, ...]] = {
    "any": _templates("{x}.unsqueeze(0); {x}.view_as({x}); {x}[...]; {x}[None]; {x}.unsqueeze(-1)"),
    "first": _templates("{x}[0]; {x}.select(0, 1); {x}[-1]"),
    "slice": _templates("{x}[1:]; {x}.narrow(0, 1, {n}); {x}[-{n}:]"),
    "last": _templates("{x}[..., 1:]"),
    "transpose": _templates("{x}.transpose(0, 1); {x}.transpose(-1, -2); {x}.mT; {x}.swapaxes(0, 1)"),
    "matrix": _templates("{x}.t(); {x}.T; {x}.permute(1, 0)"),
    "flat": _templates("""
        {x}.view(-1); {x}.reshape(-1); {x}.flatten(); torch.flatten({x}); {x}.ravel()
    """),
    "diagonal": _templates("{x}.diagonal(); torch.diagonal({x})"),
}

#: These give the very same tensor back on these programs' float32 CPU tensors.
SAME = _templates("""
        {x}.float(); {x}.to({x}.dtype); {x}.cpu(); {x}.to("cpu"); {x}.to(torch.float32); {x}.type_as({x});
        F.dropout({x}, 0.5, training=False); nn.Identity()({x})
    """)

#: Several tensors at once: template, number of results.
MULTI_VIEWS = (
    ("{x}.chunk(2)", 2),
    ("torch.split({x}, 2)", 2),
    ("{x}.unbind(0)", 4),
    ("{x}.chunk(2, dim=-1)", 2),
    ("{x}", 4),
)
SAFE_SPLITS = (("torch.tensor_split({x}, 2)", 2), ("{x}.unsafe_chunk(2)", 2), ("torch.hsplit({x}, 2)", 2))
PAIRS = _templates("{x}.max(-1); {x}.sort(-1); torch.topk({x}, 2, -1); {x}.min(dim=-1)")
