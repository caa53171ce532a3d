print("hrgate")
