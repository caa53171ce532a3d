extension HeartRateMeasurement {
  /// The flags in the first byte. Bits 5–7 are reserved for future use and ignored.
  struct Flags: OptionSet {
    var rawValue: UInt8

    static let uint16Value = Flags(rawValue: 1 << 0)
    static let contactDetected = Flags(rawValue: 1 << 1)
    static let contactSupported = Flags(rawValue: 1 << 2)
    static let energyExpended = Flags(rawValue: 1 << 3)
    static let rrIntervals = Flags(rawValue: 1 << 4)
  }
}

extension SensorContact {
  /// Decodes the two contact bits. If only the status bit (0b01) is set, contact detection is not supported.
  init(_ flags: HeartRateMeasurement.Flags) {
    self =
      if !flags.contains(.contactSupported) {
        .notSupported
      } else if flags.contains(.contactDetected) {
        .detected
      } else {
        .notDetected
      }
  }

  var flags: HeartRateMeasurement.Flags {
    switch self {
    case .notSupported: []
    case .notDetected: .contactSupported
    case .detected: [.contactSupported, .contactDetected]
    }
  }
}
