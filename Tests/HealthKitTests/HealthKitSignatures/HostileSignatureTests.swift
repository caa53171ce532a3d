import Foundation
import HealthKit
import HealthKitSignatures
import Testing

@testable import TestSupport

/// Tests that a modified signature never makes an altered record valid, and does not crash the program.
@Suite struct HostileSignatureTests {
  static let sample = Device.sample()
  static let messages: [Data] = [nil, Device.start].compactMap { time in
    (try? Device.signature(of: sample, at: time)).flatMap { Data(base64Encoded: $0) }
  }

  /// A record that differs from the signed one in each field.
  private func altered() throws -> SignedRecord {
    try SignedRecord(Device.sample(type: .stepCount, value: 1, unit: "count", start: Device.start + 9))
  }

  @Test func `a truncated message is rejected`() throws {
    let record = try SignedRecord(Self.sample)
    #expect(Self.messages.count == 2)
    for message in Self.messages {
      for length in 0..<message.count {
        let verdict = Device.verifier.verify(message.prefix(length).base64EncodedString(), of: record)
        #expect(verdict.code == (length == 0 ? .notBase64 : .notSignedData))
      }
    }
  }

  @Test func `no flipped byte makes an altered record valid`() throws {
    let record = try SignedRecord(Self.sample)
    let other = try altered()
    for message in Self.messages {
      for place in stride(from: 0, to: message.count, by: isLongRun ? 1 : 3) {
        for flip in (isLongRun ? [0x01, 0x80, 0xFF] : [0x01]) as [UInt8] {
          var damaged = message
          damaged[place] ^= flip
          let text = damaged.base64EncodedString()
          // The verification may succeed if only unsigned parts changed, such as the certificate or the
          // signer's name.
          let verdict = Device.verifier.verify(text, of: record)
          #expect(verdict == .valid || verdict.code != nil, "byte \(place) ^ \(flip): \(verdict)")
          #expect(!Device.verifier.verify(text, of: other).isValid)
        }
      }
    }
  }

  @Test func `a flipped bit in the signed content or the signature is detected`() throws {
    let record = try SignedRecord(Self.sample)
    let content = Data(record.derEncoded)
    for message in Self.messages {
      let signed = try #require(message.range(of: content))
      // Also change the last bytes, the ECDSA signature, which has at least 68 bytes in DER for P-256.
      for place in Array(signed) + Array(message.indices.suffix(68)) {
        var damaged = message
        damaged[place] ^= 0x04
        #expect(Device.verifier.verify(damaged.base64EncodedString(), of: record).code != nil)
      }
    }
  }

  @Test func `a flipped character of the base64 text is safe, too`() throws {
    let other = try altered()
    for message in Self.messages {
      var text = Array(message.base64EncodedString().utf8)
      for place in stride(from: 0, to: text.count, by: isLongRun ? 1 : 7) {
        let original = text[place]
        for character in "A/=\n\0é".utf8 {
          text[place] = character
          let verdict = Device.verifier.verify(String(decoding: text, as: UTF8.self), of: other)
          #expect(!verdict.isValid)
        }
        text[place] = original
      }
    }
  }

  @Test func `deep nesting stops the reader without a crash`() throws {
    let record = try SignedRecord(Self.sample)
    // Nested sequences without a length, and nested sequences with a length that is too long.
    for opening in [[0x30, 0x80], [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      let bytes = Array(repeatElement(opening, count: 8000).joined())
      let verdict = Device.verifier.verify(Data(bytes).base64EncodedString(), of: record)
      #expect(verdict.code == .notSignedData)
    }
    var nested: [UInt8] = []
    for _ in 0..<8000 {
      nested = HandmadeMessage.node(0x30, nested)
    }
    #expect(
      Device.verifier.verify(Data(nested).base64EncodedString(), of: record).code == .notSignedData)
  }

  @Test func `random bytes in a valid frame are rejected`() throws {
    var generator = SeededGenerator(seed: 5652)
    let record = try SignedRecord(Self.sample)
    let other = try altered()
    for message in Self.messages {
      for _ in 0..<2000 {
        var damaged = message
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          let place = Int.random(in: 0..<damaged.count, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: damaged[place] = UInt8.random(in: .min ... .max, using: &generator)
          case 1: damaged.remove(at: place)
          default: damaged.insert(UInt8.random(in: .min ... .max, using: &generator), at: place)
          }
        }
        let text = damaged.base64EncodedString()
        #expect(Device.verifier.verify(text, of: record).fields == nil)
        #expect(!Device.verifier.verify(text, of: other).isValid)
      }
    }
  }
}
