def critic_loss(real_score, fake_score):
    return fake_score.mean() - real_score.mean()


def generator_loss(fake_score):
    return -fake_score.mean()
