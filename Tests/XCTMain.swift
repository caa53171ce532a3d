import Testing

/// The entry point of the test program. Because of it, SwiftPM does not search the index store for XCTest
/// classes, and tests can be built with `--disable-index-store`.
@main struct TestMain {
  static func main() async {
    let arguments = CommandLine.arguments
    if let option = arguments.firstIndex(of: "--testing-library"),
      arguments[option...].contains("swift-testing")
    {
      await Testing.__swiftPMEntryPoint() as Never
    }
    // `swift test` first asks for the list of XCTest tests (--dump-tests-json). There are no such tests.
    print(#"{"tests": []}"#)
  }
}
