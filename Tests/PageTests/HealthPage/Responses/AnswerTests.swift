import Testing

@testable import HealthPage

/// Tests the format of error responses.
@Suite struct AnswerTests {
  @Test func `the error page escapes the message`() {
    let hostile = PageError.absent("There is no <img src=x onerror=alert(1)> & no </p><script>.")
    let markup = PageResponse.markup(of: hostile)
    #expect(markup.contains("no &lt;img src=x onerror=alert(1)> &amp; no &lt;/p>&lt;script>."))
    #expect(!markup.contains("<img") && !markup.contains("<script"))
  }
}
