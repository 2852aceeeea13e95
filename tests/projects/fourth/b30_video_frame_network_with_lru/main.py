import torch

from video.cache import FeatureCache
from video.clips import moving_dots
from video.config import CONFIG
from video.losses import build_losses
from video.net import FrameNet
from video.system import VideoSystem
from video.trainer import Trainer


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = FrameNet(CONFIG["frame_dim"], CONFIG["feat"], CONFIG["classes"])
    system = VideoSystem(net, build_losses(CONFIG["losses"]), FeatureCache(CONFIG["cache"]))
    trainer = Trainer(system, CONFIG["optim"])
    for v in range(CONFIG["videos"]):
        frames, labels = moving_dots(CONFIG["length"], CONFIG["frame_dim"], CONFIG["classes"])
        print(v, round(trainer.run_video(frames, labels), 4))


if __name__ == "__main__":
    main()
