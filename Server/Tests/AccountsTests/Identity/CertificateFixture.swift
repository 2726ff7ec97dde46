/// A certificate and its private key, made for these tests. They have the same form as those with which Firebase signs its tokens
/// (`securetoken@system.gserviceaccount.com`).
enum CertificateFixture {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIDRTCCAi2gAwIBAgIUPGubf/DSaRTnDZ7BIboGsRm/gMIwDQYJKoZIhvcNAQEL
        BQAwMTEvMC0GA1UEAwwmc2VjdXJldG9rZW4uc3lzdGVtLmdzZXJ2aWNlYWNjb3Vu
        dC5jb20wIBcNMjYxMTIxMjI0ODQ3WhgPMjEyNjEwMjgyMjQ4NDdaMDExLzAtBgNV
        BAMMJnNlY3VyZXRva2VuLnN5c3RlbS5nc2VydmljZWFjY291bnQuY29tMIIBIjAN
        BgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA47tLCvkpVP+Iir1ohmO7Nfp2RRYo
        Q9FqOnaYZ25Z4nn7cfOnRZu5oFPmvg9EnKzzzgONRuhA7J0VZSZQcwGO/t15rq9Y
        aoPy+Wl0fqAO8sdkXbu3c6Mvb7T/Y5K0kXC3jyPZZA+jrtTxRYjaLSKkQ3cLYOqn
        OIywFpVbZ8QQEFxL+rd+MZT0C3AEaU9JmchCsdOaKhVWvjNbgvbF6K/VUFm+IPeM
        +kqkB2GOxklhnijPopoXPERcHLlc3jfG+l1td/Tm1HdwXW50cAlmVWUAw9BUPpkY
        /1dDLWBhk0U0t3u7/ez4vi0ALrJsk3VmF+x3GaYlToX15m3P8fFgxE+f3QIDAQAB
        o1MwUTAdBgNVHQ4EFgQUcNmu2V4+Ioot9SqKr1YqKlR4NuswHwYDVR0jBBgwFoAU
        cNmu2V4+Ioot9SqKr1YqKlR4NuswDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0B
        AQsFAAOCAQEAV0s+7AErVTNS+eehaGIuIQK4eYLL2r/p1+h/0//eOknE9bC7MNr9
        WkJJ9LTLr7ZrFAxh7YyPwgd8EoFeSXvr/BfpVKHyfzEoZj57HnUjbQFlEhzsbw7x
        ZS4Hj6wg1rqewz95HyWe8EAr586jA2qo85XkoCMrs1/Ba0UbA8/vTAwka/c6/5iQ
        KIxx3h7BwJJ+7mg33Rsl0f53jLimfOArQPJFfT3aqyDCrWItDskMumTQfFvZePM0
        PMd6hon6TB409yl67qC3YUWm5z847S7SqQTM6xN2rYtO3g3gowI3ByHXj0sN8eSx
        0coQ5Osdxn6I3D0FmZON/IHdeITnx6qE1Q==
        -----END CERTIFICATE-----
        """
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDju0sK+SlU/4iK
        vWiGY7s1+nZFFihD0Wo6dphnblnieftx86dFm7mgU+a+D0ScrPPOA41G6EDsnRVl
        JlBzAY7+3Xmur1hqg/L5aXR+oA7yx2Rdu7dzoy9vtP9jkrSRcLePI9lkD6Ou1PFF
        iNotIqRDdwtg6qc4jLAWlVtnxBAQXEv6t34xlPQLcARpT0mZyEKx05oqFVa+M1uC
        9sXor9VQWb4g94z6SqQHYY7GSWGeKM+imhc8RFwcuVzeN8b6XW139ObUd3BdbnRw
        CWZVZQDD0FQ+mRj/V0MtYGGTRTS3e7v97Pi+LQAusmyTdWYX7HcZpiVOhfXmbc/x
        8WDET5/dAgMBAAECggEAExKD2GlsTWgRQWgCMa8h5gVnPlClZ/ieku2NGgHN7qpp
        +ph+BoBiQsvZY/WCDjUV6Me3X0bi7m4Wyp/eK6OScZnkL6hpGT1FGMpSLVYDqnrf
        LFJ6V2maoW+2gS+vhmFlniFR0DrXFIn/ouPb5zJ4MLDu97DvTEx2uuLLWEdn/lae
        saVELA8u4NW6zu8Ef6D9sUfN17Bc3Hp5nHydRsNHZaI4SRTMv6aAvXYJ8uVlXoKy
        /G2siVFaVNDRreMqTQSszvzt1a4UuEwO6cVe4rEJWnLXkhwiL+qBbNzgHqpkkdmc
        rGvwzL8g/Y7p9x9b90L5y/wFkWjPPvheFLtafNT1qQKBgQD886Gsv3EV3dfx27/4
        ULo3FrhfCGRSLj1LSBnvY/3QiKIFNTdz8kjtiEEKW0Gcw6gkyrXJvu+I17K1xGQu
        5Pj0+TPfLxEo92B7luZGAxlFBGK411VGH9BX1DtIniPUIT+j2ZSy2/CjbPLUcJob
        ahMrLA4z5O+Fq5JfKthTB8lCdwKBgQDmeds+rkaOe3z5jaFRCZ10AhVVNlwSy6GT
        Z0FAtB6XwHWeleEYyuj5gbPetCH4GfaJ3J5TkaQh3kx3thFGy1ejBFENPuqZEOHC
        +Dfl1H3a/ZOictCS+M435qQyUiQOVLXd1qR1nNYi46VPh3KD3SFq0nzZfw5mqcH8
        xoiQOxrRSwKBgQDYr6fmwNSR48mSESpBAH6UpGzqU9kEoUG2lJxK+0A5fGI2zeCj
        /YBForv8sDHjpaQLaG8T1PGDKyuXFBayKUmvKS8rWDl9+3P2S00V2p+yBNDBAQ22
        lZg3NMJYMcgFdzn6FXCRS2G3zaOzIoaRR2wGRqYgBFS/EDvCNIS9k+TvfwKBgE61
        PK9qOsQ73dEnkfinzPKqJ3jjSIxOqE47i+g52ty+KCzRSH78BJX4umGKqLMewrgP
        9K3bZe7/CKQ1NC82ECamubtJSjqdrku0EvrVF2nrATkP9rTKbTpf9KEOtiuCuF0b
        CSz1M5fUoEbJncz0fo4JdgOcxWFABfR6JHcFCEKDAoGALYj1ZDjANmmCaw2Ll2Ji
        yB0ps26MfCjcIXIVROBC5QK71C01NsqIqT/kbYAU/1tzF5nfeo+rAAIfmZN3Epny
        M1a6r2F7AeXpJzg1CMBjESHSG3HHkhaoutVvTioPEjMtdG9SrU/rSaClb6IhZQ6j
        KEJTcX1r5IRcSJkCY7Ixe4s=
        -----END PRIVATE KEY-----
        """
}
