import Foundation
import HealthKit
import HealthKitSignatures
import Testing

@testable import TestSupport

@Suite struct SigningTests {
  @Test(arguments: [nil, Device.start])
  func `a signed sample is valid`(_ time: Date?) throws {
    let sample = try Device.identity.signed(Device.sample(), at: time)
    #expect(Device.verifier.verify(sample) == .valid)
  }

  @Test func `a signed sample has one more metadata key`() throws {
    let original = Device.sample(metadata: [HKMetadataKeyWasUserEntered: true, "Note": "rest"])
    let signed = try Device.identity.signed(original)
    #expect(signed.uuid != original.uuid)
    #expect(signed.quantityType == original.quantityType)
    #expect(signed.quantity == original.quantity)
    #expect(signed.startDate == original.startDate)
    #expect(signed.endDate == original.endDate)
    #expect(signed.device == original.device)
    var metadata = try #require(signed.metadata)
    let signature = metadata.removeValue(forKey: HKMetadataKeyDigitalSignature) as? String
    #expect(NSDictionary(dictionary: metadata) == NSDictionary(dictionary: original.metadata ?? [:]))
    // Apple documents the size of a signature as "On the order of 1 KB per record".
    #expect((500..<2000).contains(try #require(signature).utf8.count))
  }

  @Test func `signing again replaces the signature`() throws {
    let first = try Device.newIdentity().signed(Device.sample())
    #expect(Device.verifier.verify(first).code == .otherKey)
    #expect(Device.verifier.verify(try Device.identity.signed(first)) == .valid)
  }

  @Test func `a signature returns its record for the known key`() throws {
    let sample = Device.sample()
    let signature = try Device.signature(of: sample)
    #expect(try Device.verifier.signedRecord(in: signature) == SignedRecord(sample))
    #expect(throws: SignatureError.self) {
      try SignatureVerifier(publicKey: P256PrivateKey().publicKey).signedRecord(in: signature)
    }
  }

  @Test func `every number and instant is decoded bit by bit`() throws {
    var generator = SeededGenerator(seed: 186)
    let special = [0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -72, 1.0 / 3]
    let random = (0..<200).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite)
    for number in special + random {
      let start = Device.start + Double.random(in: -1e9...1e9, using: &generator)
      let record = try SignedRecord(
        type: "T", value: .quantity(number, unit: "count"), start: start, end: start)
      let read = try SignedRecord(derEncoded: record.derEncoded)
      #expect(read == record)
      guard case .quantity(let value, _) = read.value else { continue }
      #expect(value.bitPattern == number.bitPattern)
    }
  }

  @Test(arguments: [0, 1, -1, 127, 128, -129, Int.max, Int.min])
  func `a category sample's record has an integer and no unit`(_ value: Int) throws {
    let record = try SignedRecord(
      type: "HKCategoryTypeIdentifierSleepAnalysis", value: .category(value), start: Device.start,
      end: Device.start + 60)
    let signature = try Device.identity.signature(of: record)
    #expect(try Device.verifier.signedRecord(in: signature) == record)
    #expect(Device.verifier.verify(signature, of: record) == .valid)
  }

  @Test func `a category sample can be signed and verified like others`() throws {
    let type = HKCategoryType(.sleepAnalysis)
    let sample = HKCategorySample(
      type: type, value: HKCategoryValueSleepAnalysis.inBed.rawValue, start: Device.start,
      end: Device.start + 3600, metadata: [HKMetadataKeyWasUserEntered: true])
    let signed = try Device.identity.signed(sample)
    #expect(signed.metadata?[HKMetadataKeyWasUserEntered] as? Bool == true)
    #expect(Device.verifier.verify(signed) == .valid)
    let altered = HKCategorySample(
      type: type, value: HKCategoryValueSleepAnalysis.awake.rawValue, start: signed.startDate,
      end: signed.endDate + 1, metadata: signed.metadata)
    #expect(Device.verifier.verify(altered).fields == [.value, .endDate])
  }

  @Test func `a quantity is not accepted as a category's value`() throws {
    let start = Device.start
    let quantity = try SignedRecord(type: "T", value: .quantity(3, unit: "count"), start: start, end: start)
    let category = try SignedRecord(type: "T", value: .category(3), start: start, end: start)
    let signature = try Device.identity.signature(of: quantity)
    #expect(Device.verifier.verify(signature, of: category).fields == [.unit])
  }

  @Test(arguments: [
    -60_000_000_000, -631_152_001, -631_152_000, 0, 2_524_607_999, 2_524_608_000, 250_000_000_000,
  ])
  func `a signing time may be in any year from 1 to 9999`(_ seconds: Double) throws {
    let record = try SignedRecord(Device.sample())
    let signature = try Device.identity.signature(of: record, at: Date(timeIntervalSince1970: seconds))
    #expect(Device.verifier.verify(signature, of: record) == .valid)
  }

  @Test func `values that cannot be expressed are not signed`() throws {
    let far: Double = 300_000_000_000
    let farDate = Date(timeIntervalSince1970: far)
    #expect(throws: SignatureError.self) {
      try SignedRecord(type: "T", value: .category(1), start: farDate, end: farDate)
    }
    #expect(throws: SignatureError.self) {
      try SignedRecord(type: "T", value: .quantity(.nan, unit: "m"), start: Device.start, end: Device.start)
    }
    #expect(throws: SignatureError.self) {
      try SignedRecord(type: "T", value: .category(1), start: Device.start, end: Device.start - 1)
    }
    let record = try SignedRecord(Device.sample())
    for time in [far, -far, .nan, .infinity].map(Date.init(timeIntervalSince1970:)) {
      #expect(throws: SignatureError.self) { try Device.identity.signature(of: record, at: time) }
    }
  }
}
