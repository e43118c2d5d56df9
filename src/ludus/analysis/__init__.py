"""Why a bout was lost: what its moves were worth, what a bot did wrong, what it would do now."""
