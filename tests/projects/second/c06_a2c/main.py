def run():
    from run import main

    return main()


run()
