import Foundation
import HealthKit
import Testing

@testable import AppleHealthExport

struct ValueTests {
  @Test func `times are read and written with their time zones`() throws {
    let winter = try #require(ExportTime.parse("2020-01-02 03:04:05 +0100"))
    #expect(winter == 1_577_930_645_000_000)
    #expect(ExportTime.text(winter, zone: 3600) == "2020-01-02 03:04:05 +0100")
    #expect(ExportTime.text(winter, zone: -34_200) == "2020-01-01 16:34:05 -0930")
    #expect(ExportTime.parse("1969-12-31 23:59:59 +0000") == -1_000_000)
    #expect(ExportTime.text(-1, zone: 0) == "1969-12-31 23:59:59 +0000")
    #expect(ExportTime.fraction(-1) == 999_999)
  }

  /// Compares the dates with those of Foundation's calendar, since the introduction of the Gregorian
  /// calendar.
  @Test func `each day of seven hundred years has its date`() throws {
    for day in stride(from: -135_140, through: 146_097, by: 1) {
      let text = ExportTime.text(Int64(day) * 86_400_000_000, zone: 0)
      #expect(ExportTime.parse(text) == Int64(day) * 86_400_000_000)
      guard day.isMultiple(of: 97) else { continue }
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      #expect(text.prefix(10) == date.formatted(.iso8601.year().month().day()))
    }
  }

  @Test func `digits of all scripts are read`() {
    #expect(NumberText.parse("٤٥٫٢") == 45.2 && NumberText.parse("６１") == 61 && NumberText.parse("-۱") == -1)
    #expect(ExportTime.parse("٢٠٢٠-٠١-٠٢ ٠٣:٠٤:٠٥ +٠١٠٠") == ExportTime.parse("2020-01-02 03:04:05 +0100"))
    #expect(ExportTime.zone("۲۰۲۰-۰۱-۰۲ ۰۳:۰۴:۰۵ -۰۹۳۰") == -34_200)
    #expect(NumberText.parse("Ⅶ") == nil && NumberText.parse("²") == nil)
  }

  @Test func `a device's fields begin at their labels`() {
    let text =
      "<<HKDevice: 0x282d03020>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:9.1, creation date:2022-01-01 00:00:00 +0000>"
    let device = DeviceText.parse(text)
    #expect(device?.hardwareVersion == "Watch6,1" && device?.softwareVersion == "9.1")
    #expect(device?.firmwareVersion == nil && device?.manufacturer == "Apple Inc.")
    #expect(device.flatMap { DeviceText.parse(DeviceText.text($0)) } == device)
    #expect(DeviceText.parse("") == nil && DeviceText.parse("<<HKDevice: 0x1>>") == nil)
  }

  @Test func `each of Apple's constants has its number, and the reverse`() throws {
    let constants = [
      ("HKBloodTypeABPositive", "HKBloodType", 5),
      ("HKWorkoutActivityTypeRunning", "HKWorkoutActivityType", 37),
      ("HKCategoryValueSleepAnalysisAsleepREM", "HKCategoryValueSleepAnalysis", 5),
      ("HKFitzpatrickSkinTypeIII", "HKFitzpatrickSkinType", 3),
      ("HKCategoryValueNotApplicable", "HKCategoryValue", 0),
    ]
    for (constant, enumeration, number) in constants {
      #expect(EnumerationValues.value(ofConstant: constant) == number)
      #expect(EnumerationValues.constant(for: number, of: enumeration) == constant)
    }
    #expect(EnumerationValues.value(ofConstant: "HKCategoryValueSleepAnalysisAsleep") == 1)
    #expect(
      EnumerationValues.constant(for: 1, of: "HKCategoryValueSleepAnalysis")?.hasSuffix("Unspecified") == true
    )
  }

  /// The values were computed in Python with hashlib.sha256 over the documented bytes. If one of them
  /// changed, every export would be imported again.
  @Test func `values derived from a record never change`() {
    var identity = RecordIdentity()
    let uuid = identity.uuid(
      type: "HKQuantityTypeIdentifierHeartRate", source: "Anna’s Watch", start: 1_700_000_000_123_456,
      end: 1_700_000_001_000_000, content: withUnsafeBytes(of: 72.5.bitPattern.bigEndian, Array.init))
    #expect(uuid.uuidString == "018BCFE5-687B-8FAA-981A-DD8A5B605EB3")
    #expect(
      RecordIdentity.bundleIdentifier(ofSource: "Anna’s Watch")
        == "org.hrgate.apple-health.Anna-s-Watch.03d72039")
    #expect(RecordIdentity.bundleIdentifier(ofSource: "") == "org.hrgate.apple-health.e3b0c442")
  }

  @Test func `bundle identifiers distinguish source names that look the same`() {
    let names = ["Anna’s Watch", "Anna's Watch", "Annas Watch", "腕時計", ""]
    #expect(Set(names.map(RecordIdentity.bundleIdentifier)).count == names.count)
    #expect(
      RecordIdentity.bundleIdentifier(ofSource: "Anna's Watch").hasPrefix(
        "org.hrgate.apple-health.Anna-s-Watch."))
  }
}
