import torch

from a2c import A2C, ActorCritic, Storage


def main(iters=2, t=4, n=3):
    net = ActorCritic(4, 2)
    algo, st, out = A2C(net), Storage(t, n, 4), []
    for _ in range(iters):
        for s in range(t):
            with torch.no_grad():
                dist, _ = net(st.obs[s])
                act = dist.sample()
            st.insert(torch.randn(n, 4), act, torch.randn(n), (torch.rand(n) > 0.1).float())
        with torch.no_grad():
            _, last = net(st.obs[-1])
        st.compute_returns(last, 0.9)
        out.append(algo.update(st))
        out += [p.grad.clone() for p in net.parameters()]
        st.after_update()
    return out


if __name__ == "__main__":
    main()
