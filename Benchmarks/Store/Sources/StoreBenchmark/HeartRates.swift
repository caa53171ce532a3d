import HealthKit

/// Heart rates of one strap, one per second.
struct HeartRates {
  static let type = HKQuantityType(.heartRate)
  static let unit = HKUnit(from: "count/min")
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private let device = HKDevice(
    name: "Strap", manufacturer: "Maker", model: nil, hardwareVersion: nil, firmwareVersion: nil,
    softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
  private let metadata: [String: Any] = [
    HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue
  ]
  /// One shared quantity for each integer heart rate, so that the benchmark creates only samples.
  private let quantities = (0..<120).map {
    HKQuantity(unit: Self.unit, doubleValue: Double(60 + $0))
  }

  func samples(_ seconds: Range<Int>) -> [HKQuantitySample] {
    seconds.map { second in
      let date = Self.start + Double(second)
      return HKQuantitySample(
        type: Self.type, quantity: quantities[second &* 7919 % 120], start: date, end: date, device: device,
        metadata: metadata)
    }
  }
}
