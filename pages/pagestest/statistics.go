package pagestest

const PhoneAgent = "Mozilla/5.0 (Linux; Android 13; CUBOT X18) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/130.0.0.0 Mobile Safari/537.36"
