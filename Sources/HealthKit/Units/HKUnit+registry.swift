import HealthFormats

extension HKUnit {
  /// Gives the same object for the same string, and mostly for equal units.
  static let registry = UnitRegistry { HKUnit($0) }

  static func parsed(_ string: String) throws(HKValidationError) -> HKUnit {
    do {
      return try registry.unit(parsing: string)
    } catch {
      throw HKValidationError(error)
    }
  }
}

extension HKValidationError {
  init(_ error: UnitError) {
    self.init(.invalidArgument, error.description)
  }
}
