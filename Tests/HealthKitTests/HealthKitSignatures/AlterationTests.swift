import Foundation
import HealthKit
import HealthKitSignatures
import Testing

@Suite struct AlterationTests {
  @Test func `each altered field is reported with its signed and its actual value`() throws {
    let signature = try Device.signature(of: Device.sample())
    func alterations(_ sample: HKQuantitySample) -> SignatureVerdict {
      Device.verifier.verify(Device.sample(sample, signature: signature))
    }
    #expect(alterations(Device.sample()) == .valid)

    let value = try #require(only(alterations(Device.sample(value: 72.50000000000001))))
    #expect((value.field, value.signed, value.found) == (.value, "72.5", "72.50000000000001"))

    let end = try #require(only(alterations(Device.sample(seconds: 1.500001))))
    #expect(
      (end.field, end.signed, end.found) == (.endDate, "20250102030406.623456Z", "20250102030406.623457Z"))

    let type = try #require(only(alterations(Device.sample(type: .restingHeartRate))))
    #expect(type.field == .type)
    #expect(type.signed == "HKQuantityTypeIdentifierHeartRate")
    #expect(type.found == "HKQuantityTypeIdentifierRestingHeartRate")

    let unit = try #require(only(alterations(Device.sample(unit: "count/s"))))
    #expect((unit.field, unit.signed, unit.found) == (.unit, "count/min", "count/s"))

    let moved = Device.sample(start: Device.start + 0.000001, seconds: 1.499999)
    let start = try #require(only(alterations(moved)))
    #expect(
      (start.field, start.signed, start.found)
        == (.startDate, "20250102030405.123456Z", "20250102030405.123457Z"))
  }

  private func only(_ verdict: SignatureVerdict) -> Alteration? {
    guard case .altered(let alterations) = verdict, alterations.count == 1 else { return nil }
    return alterations.first
  }

  @Test func `all altered fields are reported at once`() throws {
    let signature = try Device.signature(of: Device.sample())
    let other = Device.sample(
      type: .stepCount, value: 3, unit: "count", start: Device.start + 1, seconds: 60)
    let verdict = Device.verifier.verify(Device.sample(other, signature: signature))
    #expect(verdict.fields == RecordField.allCases)
  }

  @Test func `a converted quantity is altered, even if it is equal`() throws {
    let signature = try Device.signature(of: Device.sample(value: 60))
    let converted = Device.sample(value: 1, unit: "count/s")
    #expect(Device.verifier.verify(Device.sample(converted, signature: signature)).fields == [.value, .unit])
  }

  @Test func `two spellings of one unit are equal`() throws {
    let sample = Device.sample()
    let signed = try SignedRecord(
      type: sample.quantityType.identifier, value: .quantity(72.5, unit: "min^-1·count"),
      start: sample.startDate, end: sample.endDate)
    let signature = try Device.identity.signature(of: signed)
    #expect(Device.verifier.verify(Device.sample(sample, signature: signature)) == .valid)
  }

  @Test func `metadata and device are not signed`() throws {
    let signed = try Device.identity.signed(Device.sample())
    var metadata = try #require(signed.metadata)
    metadata["Note"] = "moved by another program"
    let copy = HKQuantitySample(
      type: signed.quantityType, quantity: signed.quantity, start: signed.startDate, end: signed.endDate,
      metadata: metadata)
    #expect(Device.verifier.verify(copy) == .valid)
  }

  @Test func `the signature of another key is distinguished from a damaged one`() throws {
    let foreign = try Device.newIdentity().signature(of: SignedRecord(Device.sample()))
    #expect(Device.verifier.verify(foreign, of: try SignedRecord(Device.sample())).code == .otherKey)

    // Alter the record within the message, without and with signed attributes.
    for (time, code) in [(nil, SignatureError.Code.signatureMismatch), (Device.start, .digestMismatch)] {
      let signature = try Device.signature(of: Device.sample(), at: time)
      var message = try #require(Data(base64Encoded: signature))
      let value = try #require(message.range(of: Data("72.5".utf8)))
      message.replaceSubrange(value, with: Data("82.5".utf8))
      let verdict = Device.verifier.verify(
        message.base64EncodedString(), of: try SignedRecord(Device.sample(value: 82.5)))
      #expect(verdict.code == code)
    }
  }

  @Test func `a sample without a signature, or with an invalid one`() throws {
    #expect(Device.verifier.verify(Device.sample()).code == .noSignature)
    for (text, code) in [
      ("", SignatureError.Code.notBase64), ("no base64!", .notBase64), ("AAAA", .notSignedData),
      (Data([0x30, 0x00]).base64EncodedString(), .notSignedData),
      (String(repeating: "A", count: 65_540), .tooLarge),
    ] {
      #expect(Device.verifier.verify(Device.sample(Device.sample(), signature: text)).code == code)
    }
  }

  @Test func `descriptions contain no values`() throws {
    let signature = try Device.signature(of: Device.sample())
    let verdict = Device.verifier.verify(signature, of: try SignedRecord(Device.sample(value: 99.25)))
    #expect("\(verdict)" == "altered: value")
    let record = try SignedRecord(Device.sample())
    #expect("\(record)" == "signed record of HKQuantityTypeIdentifierHeartRate")
  }
}
