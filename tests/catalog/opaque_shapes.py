#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layer shapes of the built-in opaque models, counted: parameters, multiply-adds, kernels, the bytes that activations move
and the bytes that are alive at once. test_opaque_models.py holds the catalogue's rows against this.

A network is played kernel by kernel on sizes alone, twice:
  fused: what an inference compiler makes of it. Norms fold into the convolution or run in one kernel with the activation,
         a residual is added where the sum's last term is made, attention keeps its scores on the chip.
  eager: each operation is a kernel that reads its inputs and writes its output; attention writes its scores.
Elements are 2 bytes. `python3 opaque_shapes.py` prints the figures."""

BYTES = 2


class Tensor:
    def __init__(self, net, elements, shape=()):
        self.elements = elements
        self.shape = shape
        self.last_use = net.now
        net.tensors.append(self)
        self.born = net.now


class Net:
    """Ops in order. eager=True expands every op into its elementary kernels."""

    def __init__(self, eager):
        self.eager = eager
        self.parameters = 0
        self.norm_channels = 0  # of norms that fold into a convolution
        self.macs = 0
        self.kernels = 0
        self.moved = 0
        self.now = 0
        self.tensors = []

    def tensor(self, *shape):
        n = 1
        for s in shape:
            n *= s
        return Tensor(self, n, shape)

    def kernel(self, inputs, *shape):
        self.now += 1
        self.kernels += 1
        out = self.tensor(*shape)
        for t in inputs:
            t.last_use = self.now
            self.moved += t.elements
        self.moved += out.elements
        return out

    def elementwise(self, x, times=1, other=()):
        """Kernels of their own in eager mode; nothing where they ride on the kernel before."""
        if not self.eager:
            return x
        for i in range(times):
            x = self.kernel([x, *(other if i == 0 else ())], *x.shape)
        return x

    def peak(self):
        alive = 0
        for t in range(self.now + 1):
            alive = max(alive, sum(x.elements for x in self.tensors if x.born <= t <= x.last_use))
        return alive * BYTES

    # ---- convolutions; shape = (channels, height, width)
    def conv(self, x, out, k, stride=1, norm=True, act=True, bias=False, residual=None):
        c, h, w = x.shape
        h2, w2 = -(-h // stride), -(-w // stride)
        self.parameters += c * out * k * k + (out if bias else 0) + (2 * out if norm else 0)
        self.norm_channels += out if norm else 0
        self.macs += c * out * k * k * h2 * w2
        fused_inputs = [x] + ([residual] if residual is not None and not self.eager else [])
        y = self.kernel(fused_inputs, out, h2, w2)
        if norm:
            y = self.elementwise(y)
        if residual is not None and self.eager:
            y = self.elementwise(y, 1, [residual])
        return self.elementwise(y) if act else y

    def pool(self, x, stride):
        c, h, w = x.shape
        return self.kernel([x], c, -(-h // stride), -(-w // stride))

    def concat(self, parts):
        """A copy in eager mode; fused kernels write into their place."""
        _, h, w = parts[0].shape
        channels = sum(p.shape[0] for p in parts)
        if self.eager:
            return self.kernel(parts, channels, h, w)
        self.now += 1
        for p in parts:
            p.last_use = self.now
        return self.tensor(channels, h, w)

    # ---- transformers; shape = (tokens, width)
    def norm(self, x, act=False):
        """A norm over what is at hand: a kernel in either mode, the activation rides on it."""
        self.parameters += 2 * x.shape[0 if len(x.shape) == 3 else 1]
        y = self.kernel([x], *x.shape)
        return self.elementwise(y) if act else y

    def linear(self, x, out, bias=True, act=False, residual=None, counted=True):
        tokens, c = x.shape
        if counted:
            self.parameters += c * out + (out if bias else 0)
        self.macs += tokens * c * out
        y = self.kernel([x] + ([residual] if residual is not None and not self.eager else []), tokens, out)
        if residual is not None and self.eager:
            y = self.elementwise(y, 1, [residual])
        return self.elementwise(y) if act else y

    def attention(self, x, context, width, heads, biases=(True, True, True, True), residual=None):
        """Self-attention (context is x) or cross-attention, with its projection of the result."""
        tokens = x.shape[0]
        keys = context.shape[0]
        if context is x and not self.eager:  # one kernel for Q, K and V
            self.parameters += 3 * x.shape[1] * width + sum(width for b in biases[:3] if b)
            self.macs += 3 * tokens * x.shape[1] * width
            qkv = self.kernel([x], tokens, 3 * width)
            inputs = [qkv]
        else:
            q = self.linear(x, width, biases[0])
            k = self.linear(context, width, biases[1])
            v = self.linear(context, width, biases[2])
            inputs = [q, k, v]
        self.macs += 2 * tokens * keys * width
        if self.eager:
            scores = self.kernel(inputs[:2], heads * tokens, keys)
            shares = self.kernel([scores], heads * tokens, keys)
            mixed = self.kernel([shares, inputs[2]], tokens, width)
        else:
            mixed = self.kernel(inputs, tokens, width)
        return self.linear(mixed, width, biases[3], residual=residual)


def resnet_50(eager):
    net = Net(eager)
    x = net.conv(net.tensor(3, 224, 224), 64, 7, 2)
    x = net.pool(x, 2)
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(blocks):
            s = stride if i == 0 else 1
            y = net.conv(x, width, 1)
            y = net.conv(y, width, 3, s)  # v1.5: the stride is in the 3x3
            short = net.conv(x, 4 * width, 1, s, act=False) if i == 0 else x
            x = net.conv(y, 4 * width, 1, residual=short)
    x = net.kernel([x], 1, 2048)
    net.linear(x, 1000)
    return net


def yolov8(depth, width, most):
    def build(eager):
        net = Net(eager)

        def ch(c):
            return -(-int(min(c, most) * width) // 8) * 8

        def c2f(x, out, n, shortcut):
            c = out // 2
            y = net.conv(x, 2 * c, 1)
            parts = [y]
            # The second half feeds the bottlenecks; both halves stay.
            half = net.tensor(c, *y.shape[1:])
            half.elements = 0  # a view
            last = half
            for _ in range(max(round(n * depth), 1)):
                source = last
                if source is half:
                    y.last_use = net.now + 1
                    net.moved += c * y.shape[1] * y.shape[2]
                a = net.conv(source, c, 3)
                last = net.conv(a, c, 3, residual=source if shortcut else None)
                parts.append(last)
            return net.conv(net.concat(parts), out, 1)

        x = net.conv(net.tensor(3, 640, 640), ch(64), 3, 2)
        x = net.conv(x, ch(128), 3, 2)
        x = c2f(x, ch(128), 3, True)
        x = net.conv(x, ch(256), 3, 2)
        p3 = c2f(x, ch(256), 6, True)
        x = net.conv(p3, ch(512), 3, 2)
        p4 = c2f(x, ch(512), 6, True)
        x = net.conv(p4, ch(1024), 3, 2)
        x = c2f(x, ch(1024), 3, True)
        y = net.conv(x, ch(1024) // 2, 1)
        pools = [y]
        for _ in range(3):
            pools.append(net.pool(pools[-1], 1))
        p5 = net.conv(net.concat(pools), ch(1024), 1)

        def up(t):
            c, h, w = t.shape
            return net.kernel([t], c, 2 * h, 2 * w)

        h4 = c2f(net.concat([up(p5), p4]), ch(512), 3, False)
        o3 = c2f(net.concat([up(h4), p3]), ch(256), 3, False)
        o4 = c2f(net.concat([net.conv(o3, ch(256), 3, 2), h4]), ch(512), 3, False)
        o5 = c2f(net.concat([net.conv(o4, ch(512), 3, 2), p5]), ch(1024), 3, False)
        box = max(16, ch(256) // 4, 64)
        classes = max(ch(256), 80)
        results = []
        for t in (o3, o4, o5):
            b = net.conv(net.conv(t, box, 3), box, 3)
            results.append(net.conv(b, 64, 1, norm=False, act=False, bias=True))
            c = net.conv(net.conv(t, classes, 3), classes, 3)
            results.append(net.conv(c, 80, 1, norm=False, act=False, bias=True))
        net.parameters += 16  # the fixed weights of the box distribution
        net.kernel(results, 84, 8400)
        return net

    return build


def whisper_large_v3_encoder(eager):
    net = Net(eager)
    tokens, width = 1500, 1280
    x = net.tensor(128, 3000)
    net.parameters += 128 * width * 3 + width
    net.macs += 128 * width * 3 * 3000
    x = net.elementwise(net.kernel([x], 3000, width))
    net.parameters += width * width * 3 + width
    net.macs += width * width * 3 * tokens
    x = net.elementwise(net.kernel([x], tokens, width), 2)  # its activation and the positions
    net.parameters += tokens * width
    for _ in range(32):
        y = net.norm(x)
        x = net.attention(y, y, width, 20, (True, False, True, True), residual=x)
        y = net.norm(x)
        x = net.linear(net.linear(y, 4 * width, act=True), width, residual=x)
    net.norm(x)
    return net


def bert_base_512(eager):
    net = Net(eager)
    tokens, width = 512, 768
    net.parameters += (30522 + 512 + 2) * width
    x = net.norm(net.kernel([], tokens, width))
    for _ in range(12):
        x = net.norm(net.attention(x, x, width, 12, residual=x))
        x = net.norm(net.linear(net.linear(x, 4 * width, act=True), width, residual=x))
    first = net.tensor(1, width)
    net.linear(first, width, act=True)  # the pooler
    return net


def sdxl_unet(eager):
    net = Net(eager)
    text = net.tensor(77, 2048)
    embedding = 1280
    e = net.linear(net.tensor(1, 320), embedding, act=True)
    e = net.linear(e, embedding)
    a = net.linear(net.tensor(1, 2816), embedding, act=True)
    e = net.linear(a, embedding, residual=e)

    def resnet(x, out):
        y = net.norm(x, act=True)
        y = net.conv(y, out, 3, norm=False, act=False, bias=True)
        net.linear(e, out)
        y = net.elementwise(y)  # the time's share is added
        y = net.norm(y, act=True)
        short = x if x.shape[0] == out else net.conv(x, out, 1, norm=False, act=False, bias=True)
        return net.conv(y, out, 3, norm=False, act=False, bias=True, residual=short)

    def transformer(x, layers):
        c, h, w = x.shape
        y = net.norm(x)
        t = net.kernel([y], h * w, c)
        net.parameters += c * c + c
        net.macs += h * w * c * c
        for _ in range(layers):
            n = net.norm(t)
            t = net.attention(n, n, c, c // 64, (False, False, False, True), residual=t)
            n = net.norm(t)
            t = net.attention(n, text, c, c // 64, (False, False, False, True), residual=t)
            n = net.norm(t)
            gated = net.linear(n, 8 * c)
            inner = net.kernel([gated], h * w, 4 * c)
            t = net.linear(inner, c, residual=t)
        net.parameters += c * c + c
        net.macs += h * w * c * c
        y = net.kernel([t] + ([] if net.eager else [x]), c, h, w)
        return net.elementwise(y, 1, [x])

    x = net.conv(net.tensor(4, 128, 128), 320, 3, norm=False, act=False, bias=True)
    skips = [x]
    for out, layers, down in ((320, 0, True), (640, 2, True), (1280, 10, False)):
        for _ in range(2):
            x = resnet(x, out)
            if layers:
                x = transformer(x, layers)
            skips.append(x)
        if down:
            x = net.conv(x, out, 3, 2, norm=False, act=False, bias=True)
            skips.append(x)
    x = resnet(x, 1280)
    x = transformer(x, 10)
    x = resnet(x, 1280)
    for out, layers, up in ((1280, 10, True), (640, 2, True), (320, 0, False)):
        for _ in range(3):
            x = resnet(net.concat([x, skips.pop()]), out)
            if layers:
                x = transformer(x, layers)
        if up:
            c, h, w = x.shape
            x = net.kernel([x], c, 2 * h, 2 * w)
            x = net.conv(x, out, 3, norm=False, act=False, bias=True)
    x = net.norm(x, act=True)
    net.conv(x, 4, 3, norm=False, act=False, bias=True)
    return net


MODELS = {
    "resnet-50": resnet_50,
    "yolov8n": yolov8(1 / 3, 0.25, 1024),
    "yolov8x": yolov8(1.0, 1.25, 512),
    "whisper-large-v3-encoder": whisper_large_v3_encoder,
    "bert-base-512": bert_base_512,
    "sdxl-unet": sdxl_unet,
}


def figures(name):
    """Of one item in 16 bits: what the rows of catalog/opaque_models.hpp state."""
    fused, eager = MODELS[name](False), MODELS[name](True)
    assert fused.parameters == eager.parameters and fused.macs == eager.macs, name
    moved = fused.moved * BYTES
    return {
        "parameters": fused.parameters,
        "folded_parameters": fused.parameters - fused.norm_channels,
        "flop": 2 * fused.macs,
        "kernels": fused.kernels,
        # of each tensor one pass may stay in the last cache; eager: every operation a kernel
        "moved": (moved // 2, moved, eager.moved * BYTES),
        # fused; eager; twice that for the allocator's blocks and the workspaces of convolutions
        "activation": (fused.peak(), eager.peak(), 2 * eager.peak()),
    }


if __name__ == "__main__":
    for model in MODELS:
        print(model, figures(model))
