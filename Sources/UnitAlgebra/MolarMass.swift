import Foundation

/// Molar masses, which unit strings give to 16 digits.
///
/// Two that read the same are the same: `mmol<180.1558800000541>` is what `HKUnitMolarMassBloodGlucose`,
/// 180.15588000005408, makes.
enum MolarMass {
  static func text(_ mass: Double) -> String {
    String(format: "%.16g", mass)
  }

  /// The mass that its own text gives; nil for one that is not a positive number.
  static func canonical(_ mass: Double) -> Double? {
    guard mass > 0, mass.isFinite, let same = Double(text(mass)), same > 0, same.isFinite else { return nil }
    return same
  }
}
