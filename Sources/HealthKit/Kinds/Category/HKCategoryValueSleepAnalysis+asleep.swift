extension HKCategoryValueSleepAnalysis {
  /// Every value that means sleep, of whatever stage.
  public static var allAsleepValues: Set<HKCategoryValueSleepAnalysis> {
    [.asleepUnspecified, .asleepCore, .asleepDeep, .asleepREM]
  }
}
