import Foundation

/// Molar masses, which unit strings print to 16 digits.
///
/// Two masses that print the same are the same.
enum MolarMass {
  /// `HKUnitMolarMassBloodGlucose`, which prints as 180.1558800000541.
  private static let bloodGlucose = 180.15588000005408

  static func text(_ mass: Double) -> String {
    String(format: "%.16g", mass)
  }

  /// The one mass that stands for all masses with the same text: `bloodGlucose` if that is among them, or
  /// else what the text reads back as. nil if the mass is not a positive number.
  static func canonical(_ mass: Double) -> Double? {
    guard mass > 0, mass.isFinite, let same = Double(text(mass)), same > 0, same.isFinite else { return nil }
    return text(same) == text(bloodGlucose) ? bloodGlucose : same
  }
}
