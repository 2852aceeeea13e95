def run():
    from train import main

    return main()


run()
