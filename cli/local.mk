# cli: listed here as its files arrive.
