import Foundation
import HealthDataSync

@testable import HealthKit

let strap = HKDevice(
  name: "Strap \u{1}H10", manufacturer: "Polar", model: "H10", hardwareVersion: "00760690.03",
  firmwareVersion: "3.1.1", softwareVersion: nil, localIdentifier: "a0:9e:1a:cf:70:1b",
  udiDeviceIdentifier: nil)

/// Returns a heart rate with this UUID.
func heartRate(uuid: UUID, metadata: [String: Any]) throws -> HKQuantitySample {
  try HKQuantitySample.make(
    uuid: uuid, type: HKQuantityType(.heartRate),
    quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72), start: start, end: start,
    device: nil, metadata: try ObjectMetadata(metadata))
}
