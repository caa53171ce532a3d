import Foundation
import HealthFormats
import Testing

/// Tests an archive that Python's `plistlib` wrote, with plain class names, a private subclass, and the
/// mutable classes that other systems archive.
@Suite struct ForeignArchiveTests {
  @Test func `an archive of another writer is decoded`() throws {
    let archive = try #require(Data(base64Encoded: Self.archive, options: .ignoreUnknownCharacters))
    let expected = Circle()
    expected.inner = Shape()
    expected.inner?.name = "inner"
    let result = try SecureUnarchiver.unarchive(Shape.self, from: archive, classes: sampleClasses)
    #expect(result is Circle)
    #expect(result == expected)
  }

  private static let archive = """
    YnBsaXN0MDDUAQIDBAUGo6ZZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKvEDEHCCEp
    Ki0xNDg7QUNGSlBRElJTVFZZZGhsbXB1eX2IDoqLjI2Oj1BRElJTk5SdbJ6iVSRudWxs3AkKCwwNDg8QERITFBUWFxgZGhscHR4f
    IFYkY2xhc3NVYnl0ZXNVY291bnRUZGF0ZVppZGVudGlmaWVyVWlubmVyVmlzT3BlblZsYWJlbHNUbmFtZVZvcmlnaW5WcG9pbnRz
    VHRhZ3OAAoAcE//////////5gAeABYAdCYAVgAOACYANgBrSIiMkJVgkY2xhc3Nlc1okY2xhc3NuYW1lpCUmJyhcX1JvdW5kQ2ly
    Y2xlVkNpcmNsZVVTaGFwZVhOU09iamVjdGYA3ABtAGwAYQB1AHTSIiMrLKIsKFZOU1VVSUTSCS4vMFxOUy51dWlkYnl0ZXOABE8Q
    EAECAwQFBgcICQoLDA0ODxDSIiMyM6IzKFZOU0RhdGXSCTU2N1dOUy50aW1lgAYjQcTck4AgAADSIiM5OqI6KFVQb2ludNMJPD0+
    P0BReFF5gAgjP/AAAAAAAAAjwAAAAAAAAADTCTw9PkJCIwAAAAAAAAAA0wk8PT5ERSM/4AAAAAAAACN/8AAAAAAAANIiI0dIo0hJ
    KF5OU011dGFibGVBcnJheVdOU0FycmF50glLTE1aTlMub2JqZWN0c4AMok5PgAqAC1Vjb2xvclZ3ZWlnaHRTcmVkEAPTCTw9PlVV
    I0AiAAAAAAAA0iIjV1iiWChcTlNEaWN0aW9uYXJ50wlaS1tcYFdOUy5rZXlzgBSjXV5fgA6AD4AQo2FiY4ARgBKAE9IiI2Vmo2Zn
    KF8QD05TTXV0YWJsZVN0cmluZ1hOU1N0cmluZ9IJaWprWU5TLnN0cmluZ4AWUWFRYtIiI25vom8oVU5TU2V00glLcXKAGaJzdIAX
    gBjSIiN2d6N3eChdTlNNdXRhYmxlRGF0YVZOU0RhdGHSCXp7fFdOUy5kYXRhgBtDAP8B3AkKCwwNDg8QERITFH5/F4CBghuDhIWG
    h4AegDCAIYAggACALIAfgCKAJYAv0iIjiSeiJyjSCS4vMNIJNTY30wk8PT4/QNMJPD0+QkLTCTw9PkRF0glLTJCikZKAI4Ak0wk8
    PT5VVdMJWktblZmjlpeYgCaAJ4Aoo5qbnIApgCqAK9IJaWpr0glLcZ+ioKGALYAu0gl6e3zRpKVUcm9vdIABEgABhqAACAARABsA
    JAApADIARAB4AH4AlwCeAKQAqgCvALoAwADHAM4A0wDaAOEA5gDoAOoA8wD1APcA+QD6APwA/gEAAQIBBAEJARIBHQEiAS8BNgE8
    AUUBUgFXAVoBYQFmAXMBdQGIAY0BkAGXAZwBpAGmAa8BtAG3Ab0BxAHGAcgBygHTAdwB4wHsAfMB/AIFAgoCDgIdAiUCKgI1AjcC
    OgI8Aj4CRAJLAk8CUQJYAmECZgJpAnYCfQKFAocCiwKNAo8CkQKVApcCmQKbAqACpAK2Ar8CxALOAtAC0gLUAtkC3ALiAucC6QLs
    Au4C8AL1AvkDBwMOAxMDGwMdAyEDOgM8Az4DQANCA0QDRgNIA0oDTANOA1MDVgNbA2ADZwNuA3UDegN9A38DgQOIA48DkwOVA5cD
    mQOdA58DoQOjA6gDrQOwA7IDtAO5A7wDwQPDAAAAAAAAAgEAAAAAAAAApwAAAAAAAAAAAAAAAAAAA8g=
    """
}
