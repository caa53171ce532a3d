import HealthKit

/// Compares a heart-rate sample with a struct of the same fields: CPU time and memory of a million each.
///
/// Quantity, device, and metadata are shared, as in a strap's readings.
@main enum SampleCreation {
  private static let count = 1_000_000
  private static let start = Date(timeIntervalSinceReferenceDate: 0)

  private static let device = HKDevice(
    name: "Strap", manufacturer: "Maker", model: nil, hardwareVersion: nil, firmwareVersion: nil,
    softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)

  static func main() {
    let metadata: [String: Any] = [
      HKMetadataKeyHeartRateSensorLocation: HKHeartRateSensorLocation.chest.rawValue
    ]
    let type = HKQuantityType(.heartRate)
    let uuid = UUID()
    let quantity = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 72)
    // Warm up: the tables of types and units are created on first use.
    _ = HKQuantitySample(type: type, quantity: quantity, start: start, end: start)
    for _ in 0..<3 {
      let copied = measure("struct, UUID given") { second in
        PlainSample(
          uuid: uuid, type: "HKQuantityTypeIdentifierHeartRate", value: 72, unit: "count/min", start: second,
          end: second, device: device, metadata: metadata)
      }
      let plain = measure("struct, UUID new") { second in
        PlainSample(
          uuid: UUID(), type: "HKQuantityTypeIdentifierHeartRate", value: 72, unit: "count/min",
          start: second,
          end: second, device: device, metadata: metadata)
      }
      let sample = measure("HKQuantitySample") { second in
        HKQuantitySample(
          type: type, quantity: quantity, start: second, end: second, device: device, metadata: metadata)
      }
      let bare = measure("without metadata") { second in
        HKQuantitySample(
          type: type, quantity: quantity, start: second, end: second, device: device, metadata: nil)
      }
      print(
        String(
          format:
            "ratio    %.1f to a struct with a new UUID, %.1f to one whose UUID is given; %.1f without metadata",
          sample / plain, sample / copied, bare / copied))
    }
    let unit = measure("HKUnit(from:)") { _ in HKUnit(from: "count/min") }
    let parts = measure("count/minute") { _ in HKUnit.count().unitDivided(by: .minute()) }
    print(String(format: "unit     %.0f ns from a string, %.0f ns from its parts", unit, parts))
  }

  /// Returns the CPU time per value in nanoseconds.
  private static func measure<Value>(_ name: String, _ make: (Date) -> Value) -> Double {
    var values: [Value] = []
    values.reserveCapacity(count)
    let memory = residentBytes()
    let began = clock()
    for second in 0..<count { values.append(make(start + Double(second))) }
    let nanoseconds = Double(clock() - began) / Double(CLOCKS_PER_SEC) * 1e9 / Double(count)
    let bytes = Double(residentBytes() - memory) / Double(count)
    print(
      name.padding(toLength: 18, withPad: " ", startingAt: 0),
      String(format: "%6.0f ns %6.0f bytes", nanoseconds, bytes))
    return withExtendedLifetime(values) { nanoseconds }
  }

  private static func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (fields.flatMap { Int($0[1]) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
