extension HKElectrocardiogramQuery {
  /// As `init(_:dataHandler:)`, in the words of Objective-C.
  /// - Parameter dataHandler: called for each measurement in order of time, then once with none and true; or
  ///   once with an error and true.
  @preconcurrency
  public convenience init(
    electrocardiogram: HKElectrocardiogram,
    dataHandler:
      @escaping @Sendable (
        HKElectrocardiogramQuery, HKElectrocardiogram.VoltageMeasurement?, Bool, (any Error)?
      ) -> Void
  ) {
    self.init(electrocardiogram) { query, result in
      switch result {
      case .measurement(let measurement): dataHandler(query, measurement, false, nil)
      case .error(let error): dataHandler(query, nil, true, error)
      case .done: dataHandler(query, nil, true, nil)
      }
    }
  }
}
