from ludus.cli.main import main

main()
