import HealthFormats
import Testing

@testable import HealthKit

@Suite struct ArchiveTests {
  private func archived<Object: HKArchivable>(_ object: Object) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  private func again<Object: HKArchivable>(_ object: Object) throws -> Object? {
    try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: archived(object))
  }

  private let metadata: [String: Any] = [
    HKMetadataKeyHeartRateSensorLocation: 1, HKMetadataKeyWasUserEntered: true, "text": "x", "number": 1.5,
    "date": moment(5), HKMetadataKeyWeatherTemperature: HKQuantity(unit: .degreeCelsius(), doubleValue: 20),
  ]
  private let device = HKDevice(
    name: "Strap", manufacturer: "Maker", model: nil, hardwareVersion: nil, firmwareVersion: "1.0",
    softwareVersion: nil, localIdentifier: "00:11", udiDeviceIdentifier: nil)

  private func check(metadata: [String: Any]?) throws {
    let metadata = try #require(metadata)
    #expect(metadata.count == 6)
    #expect(metadata[HKMetadataKeyHeartRateSensorLocation] as? Int == 1)
    #expect(metadata[HKMetadataKeyWasUserEntered] as? Bool == true)
    #expect(metadata["text"] as? String == "x")
    #expect(metadata["number"] as? Double == 1.5)
    #expect(metadata["date"] as? Date == moment(5))
    #expect(
      metadata[HKMetadataKeyWeatherTemperature] as? HKQuantity
        == HKQuantity(unit: .degreeCelsius(), doubleValue: 20))
  }

  private func check<Sample: HKSample>(_ sample: Sample) throws -> Sample {
    let back = try #require(try again(sample))
    #expect(back == sample)
    #expect(back.sampleType == sample.sampleType)
    #expect(back.startDate == sample.startDate && back.endDate == sample.endDate)
    #expect(back.device == sample.device)
    return back
  }

  @Test func unitsQuantitiesAndProvenance() throws {
    for string in ["count/min", "mmol<180.1558800000541>/L", "()", "kcal/hr·kg"] {
      let unit = HKUnit(from: string)
      #expect(try again(unit) == unit)
    }
    let quantity = HKQuantity(unit: .mile(), doubleValue: 0.1 + 0.2)
    #expect(try again(quantity)?.doubleValue(for: .mile()) == 0.1 + 0.2)
    #expect(try again(device) == device)
    let revision = HKSourceRevision(
      source: .default(), version: "7", productType: "p",
      operatingSystemVersion: OperatingSystemVersion(majorVersion: 1, minorVersion: 2, patchVersion: 3))
    #expect(try again(revision) == revision)
    #expect(try again(HKSource.default())?.name == HKSource.default().name)
    let anchor = HKQueryAnchor(fromValue: 5_734_987_678_924)
    #expect(try again(anchor) == anchor)
  }

  @Test func samples() throws {
    let heart = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 72),
      start: moment(), end: moment(1), device: device, metadata: metadata)
    let back = try check(heart)
    #expect(back is HKDiscreteQuantitySample)
    #expect(back.quantity == heart.quantity)
    try check(metadata: back.metadata)
    let steps = HKQuantitySample(
      type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: 10),
      start: moment(), end: moment(1))
    #expect(try check(steps) is HKCumulativeQuantitySample)
    #expect(try check(steps).metadata == nil)
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: HKCategoryValueSleepAnalysis.asleepREM.rawValue,
      start: moment(), end: moment(60))
    #expect(try check(sleep).value == 5)
  }

  @Test func correlationsAndWorkouts() throws {
    func pressure(_ type: HKQuantityTypeIdentifier, _ value: Double) -> HKSample {
      HKQuantitySample(
        type: HKQuantityType(type), quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value),
        start: moment(), end: moment())
    }
    let correlation = HKCorrelation(
      type: HKCorrelationType(.bloodPressure), start: moment(), end: moment(),
      objects: [pressure(.bloodPressureSystolic, 120), pressure(.bloodPressureDiastolic, 80)])
    #expect(try check(correlation).objects == correlation.objects)
    let workout = HKWorkout(
      activityType: .running, start: moment(), end: moment(600),
      workoutEvents: [
        HKWorkoutEvent(
          type: .pause, dateInterval: DateInterval(start: moment(100), duration: 0), metadata: ["k": 1]),
        HKWorkoutEvent(
          type: .resume, dateInterval: DateInterval(start: moment(160), duration: 0), metadata: nil),
      ], totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 100),
      totalDistance: HKQuantity(unit: .meter(), doubleValue: 2000), metadata: nil)
    let back = try check(workout)
    #expect(back.workoutEvents == workout.workoutEvents)
    #expect(back.duration == 540)
    #expect(back.totalDistance == workout.totalDistance)
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = .swimming
    configuration.swimmingLocationType = .pool
    configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: 25)
    #expect(try again(configuration) == configuration)
    let activity = HKWorkoutActivity(
      workoutConfiguration: configuration, start: moment(), end: nil, metadata: ["k": "v"])
    #expect(try again(activity)?.workoutConfiguration == configuration)
    #expect(try again(activity)?.endDate == nil)
  }

  @Test func `every object type can be archived`() throws {
    #expect(ObjectTypes.all.count > 200)
    for type in ObjectTypes.all { #expect(try again(type) == type) }
  }

  @Test func `classes have Apple's names in archives`() throws {
    let quantity = HKQuantity(unit: beatsPerMinute, doubleValue: 1)
    let plain: [String: ArchivableClass] = ["HKQuantity": HKQuantity.self, "HKUnit": HKUnit.self]
    let back = try SecureUnarchiver.unarchive(HKQuantity.self, from: archived(quantity), classes: plain)
    #expect(back == quantity)
  }

  @Test func `an anchor archived by Apple's framework is read`() throws {
    // Assemble an archive like those in which applications for Apple's HealthKit keep anchors.
    let token = String(repeating: "0123456789abcdef", count: 8)
    let archive = HandmadeArchive(
      className: "HKQueryAnchor", fields: [("rowid", .integer(4711)), ("clientToken", .string(token))])
    let anchor = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQueryAnchor.self, from: archive.data)
    #expect(anchor?.position == 4711)
    #expect(anchor?.store == token)
  }

  @Test func `a private subclass of a unit is read as a unit`() throws {
    let archive = HandmadeArchive(className: "HKTimeUnit", fields: [("HKUnitStringKey", .string("s"))])
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKUnit.self, from: archive.data) == .second())
  }

  @Test(arguments: ["UUID", "UUIDKey", "anything"])
  func `a deleted object is read with any keys`(_ key: String) throws {
    let uuid = UUID()
    let archive = HandmadeArchive(className: "HKDeletedObject", fields: [(key, .uuid(uuid))])
    let deleted = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKDeletedObject.self, from: archive.data)
    #expect(deleted?.uuid == uuid)
  }

  @Test func `an archive of another class is rejected`() throws {
    let data = try archived(HKUnit.count())
    #expect(throws: ArchiveError.self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantity.self, from: data)
    }
    #expect(throws: ArchiveError.self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantity.self, from: Data("bplist00".utf8))
    }
  }

  @Test func `an archive cannot create an object that no initializer allows`() throws {
    let bad = HandmadeArchive(className: "HKUnit", fields: [("HKUnitStringKey", .string("m//s"))])
    #expect(throws: ArchiveError.self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKUnit.self, from: bad.data)
    }
    let type = HandmadeArchive(className: "HKQuantityType", fields: [("identifier", .string("no such type"))])
    #expect(throws: ArchiveError.self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantityType.self, from: type.data)
    }
    let other = HandmadeArchive(
      className: "HKCategoryType", fields: [("identifier", .string("HKQuantityTypeIdentifierHeartRate"))])
    #expect(throws: ArchiveError.self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HKCategoryType.self, from: other.data)
    }
  }

  @Test func `Foundation's methods read the same archives`() throws {
    func read<Object: NSObject & NSSecureCoding>(_ type: Object.Type, _ data: Data) throws -> Object? {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    }
    let anchor = HKQueryAnchor(fromValue: 9)
    #expect(try read(HKQueryAnchor.self, archived(anchor)) == anchor)
    let several = try NSKeyedArchiver.archivedData(
      withRootObject: [anchor, HKQueryAnchor(fromValue: 10)] as NSArray, requiringSecureCoding: true)
    #expect(
      try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: HKQueryAnchor.self, from: several)?.count == 2)
  }

  @Test func `a missing value is not zero`() throws {
    let sleep = HKCategorySample(
      type: HKCategoryType(.sleepAnalysis), value: 0, start: moment(), end: moment(60))
    #expect(try readTampered(sleep, ["value": nil]) == nil)
    let workout = HKWorkout(activityType: .running, start: moment(), end: moment(60))
    #expect(try readTampered(workout, ["duration": nil]) == nil)
    #expect(try readTampered(workout, ["workoutActivityType": nil]) == nil)
    #expect(try readTampered(workout, ["duration": -1]) == nil)
    let quantity = HKQuantity(unit: .count(), doubleValue: 0)
    #expect(try readTampered(quantity, ["ValueKey": nil]) == nil)
    #expect(try readTampered(HKQueryAnchor(fromValue: 0), ["rowid": nil]) == nil)
    #expect(try readTampered(HKWorkoutConfiguration(), ["locationType": nil]) == nil)
  }

  @Test func `the seeds of the fuzzer are valid archives`() throws {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let seeds = root.appending(path: "Fuzz/Seeds")
    let names = try FileManager.default.contentsOfDirectory(atPath: seeds.path)
      .filter { $0.hasPrefix("healthkit-") }
    #expect(names.count >= 8)
    for name in names {
      let data = try Data(contentsOf: seeds.appending(path: name))
      func isRead<Object: HKArchivable>(as type: Object.Type) -> Bool {
        (try? NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)) != nil
      }
      let isAny =
        isRead(as: HKSample.self) || isRead(as: HKQuantity.self) || isRead(as: HKQueryAnchor.self)
        || isRead(as: HKSourceRevision.self) || isRead(as: HKWorkoutActivity.self)
      #expect(isAny, "\(name)")
    }
  }

  @Test func `no damage causes a crash`() throws {
    let sample = HKQuantitySample(
      type: HKQuantityType(.heartRate), quantity: HKQuantity(unit: beatsPerMinute, doubleValue: 72),
      start: moment(), end: moment(1), device: device, metadata: ["k": 1])
    let data = try archived(sample)
    for index in stride(from: 0, to: data.count, by: 3) {
      for flip in [UInt8(0x01), 0x10, 0xFF] {
        var damaged = data
        damaged[index] ^= flip
        _ = try? NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: damaged)
      }
    }
  }
}
