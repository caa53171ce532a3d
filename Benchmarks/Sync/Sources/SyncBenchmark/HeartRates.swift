import HealthDataSync
import HealthKit

/// Heart rates of straps, one per second.
struct HeartRates {
  static let start = Date(timeIntervalSince1970: 1_780_000_000)
  private static let type = HKQuantityType(.heartRate)
  private let metadata: [String: Any] = [
    HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue
  ]
  /// One shared quantity for each integer heart rate, so that the benchmark creates only samples.
  private static let quantities = (0..<120).map {
    HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: Double(60 + $0))
  }

  private let devices: [HKDevice]

  init(straps: Int) {
    devices = (0..<straps).map {
      HKDevice(
        name: "Strap \($0)", manufacturer: "Maker", model: nil, hardwareVersion: nil, firmwareVersion: nil,
        softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
    }
  }

  /// Returns samples in the order in which a gateway saves them: all straps of a second, then the next
  /// second.
  func samples(_ numbers: Range<Int>, from start: Date = Self.start) -> [HKQuantitySample] {
    numbers.map { number in
      let date = start + Double(number / devices.count)
      return HKQuantitySample(
        type: Self.type, quantity: Self.quantities[number &* 7919 % 120], start: date, end: date,
        device: devices[number % devices.count], metadata: metadata)
    }
  }

  func page(_ numbers: Range<Int>, from start: Date = Self.start) -> ChangePage {
    ChangePage(
      type: Self.type, deleted: [], added: samples(numbers, from: start).map { ExternalRecord(sample: $0) })
  }
}
